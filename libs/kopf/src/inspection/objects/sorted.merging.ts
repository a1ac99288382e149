/** A part of a list: from `start` to before `end`. */
export interface ListPart {
  readonly start: number;
  readonly end: number;
}

/** Finds the place in a sorted list before which all items are smaller, from a place on. */
export function findPlace<B>(sorted: readonly B[], compareTo: (item: B) => number, from = 0): number {
  let [low, high] = [from, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareTo(sorted[middle]) > 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Merges two sorted lists; the first one is short, so that the places for it are searched. */
export function mergeSorted<A, B>(
  few: readonly A[],
  many: readonly B[],
  compare: (one: A, other: B) => number,
): readonly (A | B)[] {
  if (few.length === 0) return many;
  return mergePart(few, many, compare, { start: 0, end: Infinity });
}

/**
 * Cuts a part out of the merged list of two sorted lists, of which the first one is short. Items behind the part are not compared.
 *
 * @param isLeftOut items of the second list that do not count.
 */
export function mergePart<A, B>(
  few: readonly A[],
  many: readonly B[],
  compare: (one: A, other: B) => number,
  { start, end }: ListPart,
  isLeftOut?: (item: B) => boolean,
): (A | B)[] {
  const part: (A | B)[] = [];
  let place = 0;
  let next = 0;
  const take = (item: A | B): void => {
    if (place >= start) part.push(item);
    place += 1;
  };
  const takeMany = (until: number): void => {
    for (; next < until && place < end; next += 1) if (!isLeftOut?.(many[next])) take(many[next]);
  };
  for (const each of few) {
    takeMany(findPlace(many, (item) => compare(each, item), next));
    if (place >= end) return part;
    take(each);
  }
  takeMany(many.length);
  return part;
}
