import type { KubeObject } from '../../objects/kube-object.js';
import { isDeletion, USER_AGENT, type WorldChange } from '../run/world.server.js';
import { isTransient } from '../run/world.objects.js';
import { foldedName } from './final.state.js';
import type { Violation } from './violation.js';

/** Counts the creations and deletions of objects in a run, but for those by the user, and the effects outside of the cluster. */
export class ObjectCounts {
  private readonly counts = new Map<string, number>();
  /** Those of the counts that are of objects which came too late for their owners, or just in time. */
  private readonly lateCounts = new Map<string, number>();
  private readonly late = new Set<string>();
  /** The objects that the user has deleted, by their uids. */
  private readonly unwanted = new Set<string>();
  /** The objects that were created since the operator was at rest, by their uids. */
  private readonly recent = new Map<string, { readonly object: KubeObject; isDeleted: boolean }>();

  /** @param isLate tells whether an object has come too late for its owners, as nobody could know that they go; asked of objects that are created */
  add(change: WorldChange, isLate: () => boolean = () => false): void {
    const { type, resource, object, userAgent } = change;
    const { uid = '' } = object.metadata;
    const isUser = userAgent === USER_AGENT;
    if (isUser && isDeletion(change)) this.unwanted.add(uid);
    if (type === 'MODIFIED' || isTransient(resource)) return;
    // What the user wants once more before it is done is done once.
    if (type === 'ADDED' ? isUser : this.unwanted.has(uid)) return;
    const key = `${foldedName(object)} is ${type === 'ADDED' ? 'created' : 'deleted'}`;
    increment(this.counts, key);
    if (type === 'ADDED' && isLate()) this.late.add(uid);
    if (this.late.has(uid)) increment(this.lateCounts, key);
    if (type === 'ADDED') this.recent.set(uid, { object, isDeleted: false });
    const created = this.recent.get(uid);
    if (created && type === 'DELETED') created.isDeleted = true;
  }

  /** Notes that the operator is at rest. */
  onRest(): void {
    this.recent.clear();
  }

  /**
   * Notes that the user deletes an object before the operator was at rest: whether one object of each name was made for it by then is a matter
   * of time.
   */
  onConcurrentDeletion({ kind, metadata }: KubeObject): void {
    const gone = new Set([metadata.uid]);
    const namespaces = new Set(kind === 'Namespace' ? [metadata.name] : []);
    const names = new Set<string>();
    for (const [uid, { object, isDeleted }] of this.recent) {
      const { ownerReferences = [], namespace } = object.metadata;
      if (!namespaces.has(namespace) && !ownerReferences.some((owner) => gone.has(owner.uid))) continue;
      gone.add(uid);
      if (object.kind === 'Namespace') namespaces.add(object.metadata.name);
      const name = foldedName(object);
      if (this.late.has(uid) || names.has(name)) continue;
      names.add(name);
      this.late.add(uid);
      increment(this.lateCounts, `${name} is created`);
      if (isDeleted) increment(this.lateCounts, `${name} is deleted`);
    }
  }

  addEffects(effects: ReadonlySet<string>): void {
    for (const effect of effects) this.counts.set(`the effect ${effect} is seen`, 1);
  }

  /**
   * Finds what there is more of than in each of the runs that are right. Less is right where a state in between was not seen. Objects that came
   * too late do not count: the garbage collector takes them away.
   *
   * @param masked selects what may be more: `ConfigMap default/a is created`.
   * @param interventions counts those in this run. By each, one more creation and deletion of each object is right.
   */
  exceeding(right: readonly ObjectCounts[], masked: (key: string) => boolean, interventions = 0): readonly Violation[] {
    const found: Violation[] = [];
    for (const [key, all] of this.counts) {
      const count = all - (this.lateCounts.get(key) ?? 0);
      const expected = Math.max(...right.map(({ counts }) => counts.get(key) ?? 0));
      const isOfObject = / is (created|deleted)$/.test(key);
      if (count <= expected + (isOfObject ? interventions : 0) || masked(key)) continue;
      found.push({ check: 'surplus', message: `${key} ${timesOf(count)}, and ${timesOf(expected)} without faults` });
    }
    return found;
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function timesOf(count: number): string {
  return ['never', 'once', 'twice'][count] ?? `${count} times`;
}
