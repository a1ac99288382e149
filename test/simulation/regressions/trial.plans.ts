import type { Exhibit } from './exhibit.js';
import type { MadeVisit, Visit } from './visit.js';

/** The random plans of one visit of a mended twin, so that false alarms show in all of them early. */
const SHARE = 250;

/**
 * Lists the visits that can be made next: both kinds of plans for bugs, and exhaustive plans for their mended twins. When it is known how
 * many these are, the twins get random plans until they had enough of both together.
 *
 * @param plans the most plans of a bug of each kind, and the plans of a mended twin.
 * @param made the visits that need not be made again.
 */
export function planVisits(exhibits: readonly Exhibit[], plans: number, made: readonly MadeVisit[]): readonly Visit[] {
  const isMade = (visit: Visit): boolean => made.some((other) => keyOf(other) === keyOf(visit));
  const leftOf = (visits: readonly Visit[]): readonly Visit[] => visits.filter((visit) => !isMade(visit));
  const bugs = exhibits.flatMap(({ name }): Visit[] => [
    { name, twin: 'bug', plans: 'exhaustive', count: plans, seed: 1 },
    { name, twin: 'bug', plans: 'random', count: plans, seed: 1 },
  ]);
  const twins = exhibits.map(({ name }): Visit => {
    return { name, twin: 'mended', plans: 'exhaustive', count: plans, seed: 1 };
  });
  const left = leftOf([...bugs, ...twins]);
  if (left.length > 0) return left;
  const exhaustive = made.filter((visit) => twins.some((twin) => keyOf(twin) === keyOf(visit)));
  const shares = exhaustive.flatMap(({ name, run }) => sharesOf(name, plans - run));
  return leftOf(shares.toSorted((one, other) => one.seed - other.seed));
}

function sharesOf(name: string, random: number): readonly Visit[] {
  const seeds = Array.from({ length: Math.ceil(random / SHARE) }, (_, index) => 1 + index * SHARE);
  return seeds.map((seed) => {
    return { name, twin: 'mended', plans: 'random', count: Math.min(SHARE, 1 + random - seed), seed };
  });
}

function keyOf({ name, twin, plans, count, seed }: Visit): string {
  return JSON.stringify([name, twin, plans, count, seed]);
}
