/** The result of a merge. */
export interface MergedText {
  readonly text: string;
  /** Counts the places that both sides have changed differently; there, the text has both, between the marks that git uses. */
  readonly conflicts: number;
}

/** A range of lines of the original that one side has replaced. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/**
 * Merges what was changed in a text by a person, and what is generated anew, line by line.
 *
 * @param original the text as it was generated before the person has changed it.
 */
export function mergeThreeWays(original: string, edited: string, generated: string): MergedText {
  if (edited === original || edited === generated) return { text: generated, conflicts: 0 };
  if (generated === original) return { text: edited, conflicts: 0 };
  const base = original.split('\n');
  const ours = findChanges(base, edited.split('\n'));
  const theirs = findChanges(base, generated.split('\n'));
  const merged: string[] = [];
  let conflicts = 0;
  let position = 0;
  while (ours.length > 0 || theirs.length > 0) {
    const start = Math.min(ours[0]?.start ?? Infinity, theirs[0]?.start ?? Infinity);
    let end = start;
    const mine: Change[] = [];
    const others: Change[] = [];
    // Changes that touch each other are merged as one.
    for (let hasGrown = true; hasGrown;) {
      hasGrown = false;
      for (const [from, to] of [
        [ours, mine],
        [theirs, others],
      ]) {
        while (from.length > 0 && from[0].start <= end) {
          const change = from.shift()!;
          to.push(change);
          end = Math.max(end, change.end);
          hasGrown = true;
        }
      }
    }
    merged.push(...base.slice(position, start));
    position = end;
    const left = applyChanges(base, start, end, mine);
    const right = applyChanges(base, start, end, others);
    if (others.length === 0 || left.join('\n') === right.join('\n')) merged.push(...left);
    else if (mine.length === 0) merged.push(...right);
    else {
      conflicts += 1;
      merged.push('<<<<<<< edited', ...left, '=======', ...right, '>>>>>>> generated');
    }
  }
  merged.push(...base.slice(position));
  return { text: merged.join('\n'), conflicts };
}

function applyChanges(
  base: readonly string[],
  start: number,
  end: number,
  changes: readonly Change[],
): readonly string[] {
  const lines: string[] = [];
  let position = start;
  for (const change of changes) {
    lines.push(...base.slice(position, change.start), ...change.lines);
    position = change.end;
  }
  return [...lines, ...base.slice(position, end)];
}

/** Finds the changes between two texts by their longest common subsequence. Manifests have hundreds of lines, not more. */
function findChanges(base: readonly string[], other: readonly string[]): Change[] {
  const lengths = Array.from({ length: base.length + 1 }, () => new Uint32Array(other.length + 1));
  for (let i = base.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      lengths[i][j] = base[i] === other[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const changes: Change[] = [];
  let [i, j] = [0, 0];
  while (i < base.length || j < other.length) {
    const [start, from] = [i, j];
    while ((i < base.length || j < other.length) && base[i] !== other[j]) {
      if (j >= other.length || (i < base.length && lengths[i + 1][j] >= lengths[i][j + 1])) i += 1;
      else j += 1;
    }
    if (i > start || j > from) changes.push({ start, end: i, lines: other.slice(from, j) });
    else {
      i += 1;
      j += 1;
    }
  }
  return changes;
}
