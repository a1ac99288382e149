import { EventLoopTurns } from '../common/event-loop.turns.js';
import type { Controller, ControllerClient, ControllerContext, ObjectEvent } from './controller.js';
import type { KubeObject, OwnerReference } from '../resources/kube-object.js';
import { OwnerIndex, ownerNode, type OwnerNode } from './owner.index.js';
import { ignoringGone, WorkQueue } from './work.queue.js';

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

type OwnerState = 'solid' | 'absent' | 'waiting';

/**
 * The controller that deletes objects whose owners are all gone, and handles the dependants of owners that are deleted in the foreground or
 * orphaning.
 *
 * As in the real collector, an owner must be in its dependant's namespace or have none; an owner of a kind that is not served, or a
 * namespaced owner of an object without a namespace, is never taken for gone.
 */
export class GarbageCollector implements Controller {
  readonly name = 'garbage-collector';
  private readonly index = new OwnerIndex();
  private readonly ending = new Map<string, OwnerNode>();
  private turns: EventLoopTurns;
  private client: ControllerClient;
  private queue: WorkQueue;
  private unwatch: () => void = () => undefined;

  /** @param delay the delay in seconds, called for each object. @default none */
  constructor(private readonly delay?: () => number) {}

  start(context: ControllerContext): void {
    this.client = context.client;
    this.turns = new EventLoopTurns(context.clock);
    this.queue = new WorkQueue(this.name, (uid) => this.process(uid), context);
    this.unwatch = this.client.watch('all', (event) => this.observe(event));
    for (const resource of this.client.resources()) {
      for (const object of this.client.list(resource)) this.observe({ type: 'ADDED', resource, object });
    }
  }

  async stop(): Promise<void> {
    this.unwatch();
    await this.queue?.stop();
  }

  private observe(event: ObjectEvent): void {
    const { type, resource, object } = event;
    const { uid, deletionTimestamp, finalizers, ownerReferences } = object.metadata;
    if (!uid) return;
    if (type === 'DELETED') {
      this.forget(uid);
      return;
    }
    const former = event.previous?.metadata.ownerReferences;
    if (ownerReferences?.length || former?.length) {
      this.index.set(ownerNode(resource, object));
      if (ownerReferences !== former) {
        this.add(uid);
        this.wakeOwners(former);
      }
    }
    if (deletionTimestamp && (finalizers?.includes(FOREGROUND) || finalizers?.includes(ORPHAN))) {
      this.ending.set(uid, ownerNode(resource, object));
      this.add(uid);
    }
  }

  private forget(uid: string): void {
    this.ending.delete(uid);
    this.index.markGone(uid);
    for (const dependant of this.index.dependantsOf(uid)) this.add(dependant.uid);
    this.wakeOwners(this.index.get(uid)?.owners);
    this.index.remove(uid);
  }

  /** Checks owners that may wait for a dependant which no longer refers to them. */
  private wakeOwners(owners: readonly OwnerReference[] = []): void {
    for (const owner of owners) if (this.ending.has(owner.uid)) this.add(owner.uid);
  }

  private add(uid: string): void {
    const seconds = this.delay?.() ?? 0;
    if (seconds > 0) this.queue.addAfter(uid, seconds * 1000);
    else this.queue.add(uid);
  }

  private async process(uid: string): Promise<void> {
    const node = this.ending.get(uid) ?? this.index.get(uid);
    const object = node && this.client.get(node.resource, node.namespace, node.name);
    if (!object || object.metadata.uid !== uid) return;
    const { deletionTimestamp, finalizers } = object.metadata;
    if (!deletionTimestamp) await this.collect(node, object);
    else if (finalizers?.includes(ORPHAN)) await this.orphanDependants(node, object);
    else if (finalizers?.includes(FOREGROUND)) await this.awaitDependants(node, object);
  }

  private async collect(node: OwnerNode, object: KubeObject): Promise<void> {
    const owners = object.metadata.ownerReferences ?? [];
    if (!owners.length) return;
    const states = owners.map((owner) => this.stateOf(owner, node));
    if (states.includes('solid')) {
      const solid = owners.filter((_owner, index) => states[index] === 'solid');
      if (solid.length < owners.length) await this.setOwners(node, object, solid);
      return;
    }
    const dependants = this.index.dependantsOf(node.uid);
    const inForeground = states.includes('waiting') && dependants.length > 0;
    // Objects that own each other in a circle would never be deleted, as each waits for another.
    if (inForeground && dependants.some((dependant) => this.isDeletingDependants(dependant))) {
      await this.unblockOwners(node, object);
    }
    const { finalizers = [] } = object.metadata;
    const own = finalizers.includes(ORPHAN) ? 'Orphan' : finalizers.includes(FOREGROUND) ? 'Foreground' : 'Background';
    await ignoringGone(
      this.client.delete(node.resource, node.namespace, node.name, {
        propagationPolicy: inForeground ? 'Foreground' : own,
        preconditions: { uid: node.uid },
      }),
    );
  }

  private stateOf(reference: OwnerReference, dependant: OwnerNode): OwnerState {
    if (this.index.isGone(reference.uid)) return 'absent';
    const resource = this.client.resourceOf(reference.apiVersion, reference.kind);
    if (!resource || (resource.namespaced && !dependant.namespace)) return 'solid';
    const owner = this.client.get(resource, resource.namespaced ? dependant.namespace : undefined, reference.name);
    if (!owner || owner.metadata.uid !== reference.uid) return 'absent';
    const { deletionTimestamp, finalizers } = owner.metadata;
    const waits = deletionTimestamp && finalizers?.includes(FOREGROUND) && reference.blockOwnerDeletion;
    return waits ? 'waiting' : 'solid';
  }

  /** Waits with the deletion of an owner in the foreground until nothing is left that blocks it. */
  private async awaitDependants(node: OwnerNode, object: KubeObject): Promise<void> {
    const blocking = this.index
      .dependantsOf(node.uid)
      .filter(({ owners }) => owners.some((owner) => owner.uid === node.uid && owner.blockOwnerDeletion));
    if (!blocking.length) await this.removeFinalizer(node, object, FOREGROUND);
    for (const dependant of blocking) {
      // One that waits for its own dependants comes back when they are gone.
      if (!this.isDeletingDependants(dependant)) this.add(dependant.uid);
    }
  }

  private isDeletingDependants({ resource, namespace, name, uid }: OwnerNode): boolean {
    const { metadata } = this.client.get(resource, namespace, name) ?? {};
    return metadata?.uid === uid && !!metadata.deletionTimestamp && !!metadata.finalizers?.includes(FOREGROUND);
  }

  private async unblockOwners(node: OwnerNode, object: KubeObject): Promise<void> {
    const owners = object.metadata.ownerReferences ?? [];
    if (!owners.some(({ blockOwnerDeletion }) => blockOwnerDeletion)) return;
    await this.setOwners(
      node,
      object,
      owners.map((owner) => ({ ...owner, blockOwnerDeletion: false })),
    );
  }

  private async orphanDependants(node: OwnerNode, object: KubeObject): Promise<void> {
    for (const dependant of this.index.dependantsOf(node.uid)) {
      const orphan = this.client.get(dependant.resource, dependant.namespace, dependant.name);
      if (orphan?.metadata.uid !== dependant.uid) continue;
      const owners = orphan.metadata.ownerReferences?.filter(({ uid }) => uid !== node.uid) ?? [];
      await this.setOwners(dependant, orphan, owners);
      const pause = this.turns.step();
      if (pause) await pause;
    }
    await this.removeFinalizer(node, object, ORPHAN);
  }

  private async setOwners(node: OwnerNode, object: KubeObject, owners: readonly OwnerReference[]): Promise<void> {
    await this.patchMetadata(node, object, { ownerReferences: owners.length ? owners : null });
  }

  private async removeFinalizer(node: OwnerNode, object: KubeObject, finalizer: string): Promise<void> {
    const finalizers = object.metadata.finalizers?.filter((each) => each !== finalizer) ?? [];
    await this.patchMetadata(node, object, { finalizers: finalizers.length ? finalizers : null });
  }

  private async patchMetadata(node: OwnerNode, object: KubeObject, members: object): Promise<void> {
    const { uid, resourceVersion } = object.metadata;
    const patch = { metadata: { uid, resourceVersion, ...members } };
    await this.client.patch(node.resource, node.namespace, node.name, patch);
  }
}
