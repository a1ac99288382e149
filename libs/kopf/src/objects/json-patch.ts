import { deepEqual, isMap, type JsonMap } from 'kube-common';

/** One operation of a JSON patch (RFC 6902), of the kinds that the library uses. */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** The number of pairs of items above which two lists are compared by position only. */
const PAIRS_LIMIT = 250_000;

/**
 * Computes the JSON patch that turns one value into another one.
 *
 * For each map, it has the removed fields first, then the added ones, then the changed ones in the order of the older value, as in Kopf.
 * The items of lists are matched up, so that removing one of many items is one operation. Identical references are not compared further.
 */
export function computeJsonPatch(before: unknown, after: unknown): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  compareValues('', before, after, operations);
  return operations;
}

function compareValues(path: string, before: unknown, after: unknown, operations: JsonPatchOperation[]): void {
  if (before === after) return;
  if (isMap(before) && isMap(after)) compareMaps(path, before, after, operations);
  else if (Array.isArray(before) && Array.isArray(after)) compareLists(path, before, after, operations);
  else if (!deepEqual(before, after)) operations.push({ op: 'replace', path, value: after });
}

function compareMaps(path: string, before: JsonMap, after: JsonMap, operations: JsonPatchOperation[]): void {
  for (const key in before) {
    if (!isPresent(after, key)) operations.push({ op: 'remove', path: join(path, key) });
  }
  for (const key in after) {
    if (!Object.hasOwn(before, key) && isPresent(after, key)) {
      operations.push({ op: 'add', path: join(path, key), value: after[key] });
    }
  }
  for (const key in before) {
    if (before[key] === after[key]) continue;
    if (isPresent(after, key)) compareValues(join(path, key), before[key], after[key], operations);
  }
}

/** Checks for a field that JSON would have: one with the value `undefined` is left out when it is serialised. */
function isPresent(map: JsonMap, key: string): boolean {
  return Object.hasOwn(map, key) && map[key] !== undefined;
}

function compareLists(
  path: string,
  before: readonly unknown[],
  after: readonly unknown[],
  operations: JsonPatchOperation[],
): void {
  let start = 0;
  let beforeEnd = before.length;
  let afterEnd = after.length;
  while (start < beforeEnd && start < afterEnd && deepEqual(before[start], after[start])) start++;
  while (beforeEnd > start && afterEnd > start && deepEqual(before[beforeEnd - 1], after[afterEnd - 1])) {
    beforeEnd--;
    afterEnd--;
  }
  const whole: Run = { from: start, to: beforeEnd, newFrom: start, newTo: afterEnd };
  const byPosition = replaceRuns(path, before, after, [whole]);
  const runs = differingRuns(before, after, whole);
  const matched = runs.length > 1 || isShorter(runs[0], whole) ? replaceRuns(path, before, after, runs) : byPosition;
  for (const operation of matched.length <= byPosition.length ? matched : byPosition) operations.push(operation);
}

/** A run of items `from…to` of the older list that items `newFrom…newTo` of the newer one replace. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly newFrom: number;
  readonly newTo: number;
}

function isShorter(run: Run | undefined, whole: Run): boolean {
  return (
    run !== undefined &&
    (run.to - run.from < whole.to - whole.from || run.newTo - run.newFrom < whole.newTo - whole.newFrom)
  );
}

/** Replaces the runs from the start of the list, so that all items before a run are new ones already, and the run begins at `newFrom`. */
function replaceRuns(
  path: string,
  before: readonly unknown[],
  after: readonly unknown[],
  runs: readonly Run[],
): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  for (const { from, to, newFrom, newTo } of runs) {
    const paired = Math.min(to - from, newTo - newFrom);
    for (let offset = 0; offset < paired; offset++) {
      compareValues(`${path}/${newFrom + offset}`, before[from + offset], after[newFrom + offset], operations);
    }
    for (let index = from + paired; index < to; index++) {
      operations.push({ op: 'remove', path: `${path}/${newFrom + paired}` });
    }
    for (let index = newFrom + paired; index < newTo; index++) {
      operations.push({ op: 'add', path: `${path}/${index}`, value: after[index] });
    }
  }
  return operations;
}

/** Finds the runs between the items of the longest common subsequence; `undefined` if that would take too long. */
function differingRuns(
  before: readonly unknown[],
  after: readonly unknown[],
  { from, to, newFrom, newTo }: Run,
): Run[] {
  const rows = to - from;
  const columns = newTo - newFrom;
  if (rows === 0 || columns === 0 || rows * columns > PAIRS_LIMIT) return [];

  const width = columns + 1;
  const lengths = new Uint32Array((rows + 1) * width);
  const equal = new Uint8Array(rows * columns);
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      const same = deepEqual(before[from + row], after[newFrom + column]);
      equal[row * columns + column] = same ? 1 : 0;
      const here = row * width + column;
      lengths[here] = same ? lengths[here + width + 1] + 1 : Math.max(lengths[here + width], lengths[here + 1]);
    }
  }

  const runs: Run[] = [];
  let row = 0;
  let column = 0;
  let runRow = 0;
  let runColumn = 0;
  const close = (): void => {
    if (row === runRow && column === runColumn) return;
    runs.push({ from: from + runRow, to: from + row, newFrom: newFrom + runColumn, newTo: newFrom + column });
  };
  while (row < rows && column < columns) {
    if (equal[row * columns + column]) {
      close();
      runRow = ++row;
      runColumn = ++column;
    } else if (lengths[(row + 1) * width + column] >= lengths[row * width + column + 1]) row++;
    else column++;
  }
  row = rows;
  column = columns;
  close();
  return runs;
}

function join(path: string, key: string): string {
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
