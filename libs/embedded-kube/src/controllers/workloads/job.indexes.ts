/** Writes completion indexes as a job's status lists them: `1,3-5,7`. */
export function formatIndexes(indexes: ReadonlySet<number>): string {
  const parts: string[] = [];
  const sorted = [...indexes].toSorted((left, right) => left - right);
  for (let start = 0; start < sorted.length;) {
    let end = start;
    while (sorted[end + 1] === sorted[end] + 1) end += 1;
    const separator = end - start > 1 ? '-' : ',';
    parts.push(start === end ? `${sorted[start]}` : `${sorted[start]}${separator}${sorted[end]}`);
    start = end + 1;
  }
  return parts.join(',');
}

/** Reads such a list; what is no index is left out. */
export function parseIndexes(text: string | undefined): Set<number> {
  const indexes = new Set<number>();
  for (const part of text ? text.split(',') : []) {
    const [first, last = first] = part.split('-').map(Number);
    for (let index = first; index <= last; index++) indexes.add(index);
  }
  return indexes;
}
