/** One step of a path: from the values so far to the next ones. Throws where a value does not allow the step. */
export type JsonPathStep = (values: readonly unknown[]) => unknown[];

/** Makes the step to the members of a name. */
export function fieldStep(name: string): JsonPathStep {
  return (values) =>
    values
      .filter((value) => isMap(value) && Object.hasOwn(value, name))
      .map((value) => (value as Record<string, unknown>)[name]);
}

/** The step to all members and elements. */
export const wildcardStep: JsonPathStep = (values) => values.flatMap(childrenOf);

/** The step to the values and all that is below them. */
export const recursiveStep: JsonPathStep = (values) =>
  values.flatMap((value) => {
    const children = childrenOf(value);
    return children.length ? [value, ...recursiveStep(children)] : [];
  });

/** Makes the step to a constant. */
export function literalStep(constant: unknown): JsonPathStep {
  return (values) => values.map(() => constant);
}

/** Makes the step to the values of several paths. */
export function unionStep(paths: readonly (readonly JsonPathStep[])[]): JsonPathStep {
  return (values) => paths.flatMap((path) => follow(path, values));
}

/** Makes the step to the elements of arrays from an index to before another; a start alone selects one element. */
export function sliceStep(startText: string, endText: string | undefined, stepText: string | undefined): JsonPathStep {
  return (values) =>
    values.flatMap((value) => {
      if (value === null || value === undefined) return [];
      if (!Array.isArray(value)) throw new Error('value is not array or slice');
      const { length } = value;
      const first = startText === '' ? 0 : Number(startText);
      const start = first < 0 ? first + length : first;
      let end = endText === undefined ? first + 1 : endText === '' ? length : Number(endText);
      if (end < 0 || (end === 0 && endText === undefined)) end += length;
      if (start === end) return [];
      if (start < 0 || start >= length || end < 0 || end > length || start > end) {
        throw new Error(`array index out of bounds: ${start}, length ${length}`);
      }
      const step = stepText ? Number(stepText) : 1;
      if (step <= 0) throw new Error('step must be > 0');
      return value.slice(start, end).filter((_element, index) => index % step === 0) as unknown[];
    });
}

/** Makes the step to the elements of arrays for which a comparison holds, or for which a path leads anywhere. */
export function filterStep(
  left: readonly JsonPathStep[],
  operator?: string,
  right: readonly JsonPathStep[] = [],
): JsonPathStep {
  return (values) =>
    values.flatMap((value) => {
      if (!Array.isArray(value)) throw new Error('value is not array or slice and cannot be filtered');
      return value.filter((element: unknown) => {
        const lefts = follow(left, [element]);
        if (operator === undefined) return lefts.length > 0;
        const rights = follow(right, [element]);
        if (lefts.length > 1 || rights.length > 1) throw new Error('can only compare one element at a time');
        return lefts.length === 1 && rights.length === 1 && compare(lefts[0], operator, rights[0]);
      }) as unknown[];
    });
}

function follow(path: readonly JsonPathStep[], values: readonly unknown[]): unknown[] {
  return path.reduce<unknown[]>((current, step) => step(current), [...values]);
}

function compare(left: unknown, operator: string, right: unknown): boolean {
  if (typeof left !== typeof right) throw new Error('incompatible types for comparison');
  const [one, other] = [left, right] as [number, number];
  switch (operator) {
    case '==':
      return one === other;
    case '!=':
      return one !== other;
    case '<':
      return one < other;
    case '<=':
      return one <= other;
    case '>':
      return one > other;
    default:
      return one >= other;
  }
}

function childrenOf(value: unknown): unknown[] {
  return Array.isArray(value) || isMap(value) ? Object.values(value) : [];
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
