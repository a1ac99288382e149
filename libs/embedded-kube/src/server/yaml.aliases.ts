/** Up to so many values an expanded document may consist of aliases nearly wholly, and from the higher limit on only a tenth of it. */
const [SMALL, LARGE] = [400_000, 4_000_000];

/**
 * Checks that a document does not grow too much by its aliases, as it would fill the memory when it is written: some lines are enough for
 * thousands of millions of values. The limits are the real server's.
 *
 * @throws Error for such a document
 */
export function assertModestAliases(document: unknown): void {
  const sizes = new Map<object, number>();
  let distinct = 0;
  const sizeOf = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 1;
    const known = sizes.get(value);
    if (known === 0) throw new Error('an anchor contains itself');
    if (known !== undefined) return known;
    sizes.set(value, 0);
    let size = 1;
    for (const member of Object.values(value)) size += sizeOf(member);
    sizes.set(value, size);
    distinct += 1 + Object.keys(value).length;
    return size;
  };
  const total = sizeOf(document);
  const aliased = total - distinct;
  if (total > 100 && aliased > 1000 && aliased / total > allowedShare(total)) {
    throw new Error('document contains excessive aliasing');
  }
}

function allowedShare(total: number): number {
  if (total <= SMALL) return 0.99;
  if (total >= LARGE) return 0.1;
  return 0.99 - 0.89 * ((total - SMALL) / (LARGE - SMALL));
}
