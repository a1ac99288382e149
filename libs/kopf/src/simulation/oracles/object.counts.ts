import type { WorldChange } from '../run/world.server.js';
import { isTransient } from '../run/world.objects.js';
import { foldedName } from './final.state.js';
import type { Violation } from './violation.js';

/** Counts the creations and deletions of objects in a run, and the effects outside of the cluster. */
export class ObjectCounts {
  private readonly counts = new Map<string, number>();

  add({ type, resource, object }: WorldChange): void {
    if (type === 'MODIFIED' || isTransient(resource)) return;
    const key = `${foldedName(object)} is ${type === 'ADDED' ? 'created' : 'deleted'}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  addEffects(effects: ReadonlySet<string>): void {
    for (const effect of effects) this.counts.set(`the effect ${effect} is seen`, 1);
  }

  /**
   * Finds what there is more of than in each of the runs that are right. Less is right where a state in between was not seen.
   *
   * @param masked selects what may be more: `ConfigMap default/a is created`.
   * @param allowance so many more creations and deletions of each object are right, too.
   */
  exceeding(right: readonly ObjectCounts[], masked: (key: string) => boolean, allowance = 0): readonly Violation[] {
    const found: Violation[] = [];
    for (const [key, count] of this.counts) {
      const expected = Math.max(...right.map(({ counts }) => counts.get(key) ?? 0));
      const isOfObject = / is (created|deleted)$/.test(key);
      if (count <= expected + (isOfObject ? allowance : 0) || masked(key)) continue;
      found.push({ check: 'surplus', message: `${key} ${timesOf(count)}, and ${timesOf(expected)} without faults` });
    }
    return found;
  }
}

function timesOf(count: number): string {
  return ['never', 'once', 'twice'][count] ?? `${count} times`;
}
