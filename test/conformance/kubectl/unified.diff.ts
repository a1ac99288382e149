/** The lines that differ, as a unified difference without context: `-` for the expected, `+` for the actual ones. */
export function unifiedDifference(expected: string, actual: string): string[] {
  const [left, right] = [expected.split('\n'), actual.split('\n')];
  const common = commonLengths(left, right);
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      i++;
      j++;
    } else if (j >= right.length || (i < left.length && common[i + 1][j] >= common[i][j + 1])) {
      lines.push(`-${left[i++]}`);
    } else {
      lines.push(`+${right[j++]}`);
    }
  }
  return lines;
}

/** The length of the longest common subsequence of what follows each pair of positions. */
function commonLengths(left: readonly string[], right: readonly string[]): number[][] {
  const lengths = Array.from({ length: left.length + 1 }, () => right.concat('').map(() => 0));
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      lengths[i][j] = left[i] === right[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  return lengths;
}
