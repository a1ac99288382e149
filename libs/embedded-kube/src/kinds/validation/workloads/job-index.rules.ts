/** Describes what is wrong with a list of indexes such as `1,3-5`; `undefined` if nothing is. */
export function indexProblem(text: string, completions: number): string | undefined {
  let last = -1;
  for (const interval of text === '' ? [] : text.split(',')) {
    const limits = interval.split('-');
    if (limits.length > 2) {
      return `the fragment ${JSON.stringify(interval)} violates the requirement that an index interval can have at most two parts separated by '-'`;
    }
    for (const limit of limits) {
      if (!/^\d+$/.test(limit)) return `cannot convert string to integer for index: ${JSON.stringify(limit)}`;
      if (Number(limit) >= completions) return `too large index: ${JSON.stringify(limit)}`;
    }
    const [from, to] = [Number(limits[0]), Number(limits.at(-1))];
    if (limits.length > 1 && from >= to) return `non-increasing order, previous: ${from}, current: ${to}`;
    if (last >= from) return `non-increasing order, previous: ${last}, current: ${from}`;
    last = to;
  }
  return undefined;
}

/** Counts the indexes of a list that nothing is wrong with. */
export function countIndexes(text: string): number {
  return (text === '' ? [] : text.split(',')).reduce((sum, interval) => {
    const [from, to] = interval.split('-').map(Number) as [number, number?];
    return sum + (to ?? from) - from + 1;
  }, 0);
}
