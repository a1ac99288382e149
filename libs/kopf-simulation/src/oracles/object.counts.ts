import type { KubeObject } from 'nestjs-kopf';
import { isDeletion, USER_AGENT, type WorldChange } from '../world/world.server.js';
import { isTransient } from '../world/world.objects.js';
import { purposeOf } from './derived.objects.js';
import { comparableName, foldedName } from './final.state.js';
import type { Violation } from './violation.js';

/** The numbers of creations and deletions of objects in a run, without those by the user, and of effects outside of the cluster. */
export class ObjectCounts {
  private readonly counts = new Map<string, number>();
  /** The part of the counts for objects that came too late for their owners, or just in time. */
  private readonly lateCounts = new Map<string, number>();
  private readonly late = new Set<string>();
  /** The objects that the user has deleted, by their uids. */
  private readonly unwanted = new Set<string>();
  /** The objects that were created since the operator was last at rest, by their uids. */
  private readonly recent = new Map<string, { readonly object: KubeObject; isDeleted: boolean }>();

  /**
   * @param isLate whether an object is created too late for its owners, as their deletion could not be known; called for each creation
   * @param isOperator whether the operator has made the change. Objects of controllers of Kubernetes count only then.
   */
  add(change: WorldChange, isLate: () => boolean = () => false, isOperator = false): void {
    const { type, resource, object, userAgent } = change;
    const { uid = '' } = object.metadata;
    const isUser = userAgent === USER_AGENT;
    if (purposeOf(object) !== undefined) {
      if (isOperator && isDeletion(change)) increment(this.counts, `${comparableName(object)} is deleted`);
      return;
    }
    if (isUser && isDeletion(change)) this.unwanted.add(uid);
    if (type === 'MODIFIED' || isTransient(resource)) return;
    // An object that the user wants again before the operator has handled it is handled once.
    if (type === 'ADDED' ? isUser : this.unwanted.has(uid)) return;
    const key = `${foldedName(object)} is ${type === 'ADDED' ? 'created' : 'deleted'}`;
    increment(this.counts, key);
    if (type === 'ADDED' && isLate()) this.late.add(uid);
    if (this.late.has(uid)) increment(this.lateCounts, key);
    if (type === 'ADDED') this.recent.set(uid, { object, isDeleted: false });
    const created = this.recent.get(uid);
    if (created && type === 'DELETED') created.isDeleted = true;
  }

  /** Ends the list of created objects, as the operator is at rest. */
  onRest(): void {
    this.recent.clear();
  }

  /** Records that the user deletes an object before the operator is at rest. How many objects were created for it by then depends on timing. */
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
   * Finds what was done more often than in each expected run. Less often is right where the operator has not seen an intermediate state. Objects that
   * came too late do not count, as the garbage collector deletes them.
   *
   * @param masked selects what may be done more often: `ConfigMap default/a is created`.
   * @param interventions the number of interventions in this run. Each may lead to one more creation and deletion of each object.
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
