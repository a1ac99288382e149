import { conflict, notFound } from '../errors/status.errors.js';
import { type KubeObject, type Draft, draftOf, type ObjectMeta } from '../resources/kube-object.js';
import { StaleWriteError } from '../storage/object.store.js';
import { StoredObject } from '../storage/stored.object.js';
import { timestamp } from '../common/timestamps.js';
import type { MachineryContext } from './machinery.context.js';
import { orderMetadata } from './metadata.decoder.js';
import { after, type Eventual } from '../common/eventual.js';
import { resourceName, type ServedResource, storedKindName } from '../resources/served.resource.js';
import { deadlineOf, type DeleteRequest, deletionOptions } from './write.options.js';
import { SYSTEM_USER } from './api.user.js';

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';
const ATTEMPTS = 32;

/** The result of a deletion. */
export interface Deletion {
  /** Whether the object is gone; otherwise it is only marked, and waits for its finalizers or its grace period. */
  readonly gone: boolean;
  readonly object: StoredObject;
}

/** The deletion of objects, at once or by marking them. */
export class ObjectDeleter {
  constructor(private readonly context: MachineryContext) {}

  /** @throws StatusError 403, 404, 409 if a precondition does not hold */
  async delete(served: ServedResource, namespace: string, name: string, request: DeleteRequest): Promise<Deletion> {
    const collection = this.context.store.collection(served.storageKey);
    for (let attempt = 1; ; attempt += 1) {
      const current = collection.get(namespace, name);
      if (!current) throw notFound(resourceName(served), name);
      const object = current.read();
      if (request.preconditions) checkPreconditions(served, object, request.preconditions);
      const admitted = this.admit(served, current, object, request);
      if (admitted) await admitted;
      try {
        if (isFree(served, object, request)) return this.remove(served, current, object, request);
        return this.write(served, current, this.mark(served, object, request), request);
      } catch (error) {
        if (!(error instanceof StaleWriteError)) throw error;
        if (attempt >= ATTEMPTS) throw conflict(resourceName(served), name);
      }
    }
  }

  private admit(
    served: ServedResource,
    current: StoredObject,
    object: KubeObject,
    request: DeleteRequest,
  ): Eventual<void> {
    if (request.admitted) return;
    const previous = served.fromStorage(object);
    const grace = served.strategy.gracePeriod?.(previous, request.gracePeriodSeconds) ?? request.gracePeriodSeconds;
    const attributes = {
      operation: 'DELETE' as const,
      served,
      namespace: current.namespace || (served.storageKey === 'namespaces' ? current.name : ''),
      name: request.collective ? '' : current.name,
      previous,
      dryRun: request.dryRun === true,
      user: request.user ?? SYSTEM_USER,
      options: deletionOptions(request, grace),
      warn: request.warn ?? (() => undefined),
      deadline: deadlineOf(request, this.context.clock),
    };
    const { admission } = this.context;
    return after(admission.admit(attributes), () => admission.validate(attributes));
  }

  private remove(
    served: ServedResource,
    current: StoredObject,
    object: KubeObject,
    { dryRun, cause }: DeleteRequest,
  ): Deletion {
    const { store } = this.context;
    return { gone: true, object: dryRun ? current : store.delete(served.storageKey, current, cause, object) };
  }

  /** Marks an object as deleted. @returns the object as it is while it waits for its end */
  private mark(served: ServedResource, object: KubeObject, request: DeleteRequest): Draft {
    const draft = draftOf(object);
    const { metadata } = draft;
    const grace = served.strategy.gracePeriod?.(object, request.gracePeriodSeconds) ?? 0;
    const finalizers = propagated(metadata.finalizers ?? [], policyOf(served, metadata, request));
    if (finalizers.length > 0) metadata.finalizers = finalizers;
    else delete metadata.finalizers;
    const time = timestamp(this.context.clock.now() + grace * 1000);
    if (metadata.deletionTimestamp === undefined) {
      if (metadata.generation !== undefined && !served.strategy.markDeleted) metadata.generation += 1;
      if (served.strategy.markDeleted) served.strategy.markDeleted(draft, time);
      else Object.assign(metadata, { deletionTimestamp: time, deletionGracePeriodSeconds: grace });
    } else if (grace < (metadata.deletionGracePeriodSeconds ?? 0)) {
      Object.assign(metadata, { deletionTimestamp: time, deletionGracePeriodSeconds: grace });
    }
    draft.metadata = orderMetadata(metadata, served.custom);
    return draft;
  }

  private write(served: ServedResource, current: StoredObject, marked: Draft, request: DeleteRequest): Deletion {
    const { store } = this.context;
    const { cause } = request;
    const waits =
      !!marked.metadata.finalizers?.length ||
      !!marked.metadata.deletionGracePeriodSeconds ||
      served.strategy.holdsDeletion?.(marked) === true;
    // An object with a grace period is marked first even if the period is 0, so that watches get two events of its end.
    if (!waits && !served.strategy.gracePeriod) return this.remove(served, current, current.read(), request);
    if (request.dryRun) return { gone: !waits, object: new StoredObject(marked as KubeObject, current.revision) };
    const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = current.object.metadata;
    const unchanged =
      deletionTimestamp === marked.metadata.deletionTimestamp &&
      deletionGracePeriodSeconds === marked.metadata.deletionGracePeriodSeconds &&
      finalizers?.join() === marked.metadata.finalizers?.join();
    const stored = unchanged ? current : store.update(served.storageKey, current, marked as KubeObject, cause);
    if (waits) return { gone: false, object: stored };
    return { gone: true, object: store.delete(served.storageKey, stored, cause) };
  }
}

/** @throws StatusError 409 */
function checkPreconditions(
  served: ServedResource,
  { metadata }: KubeObject,
  preconditions: NonNullable<DeleteRequest['preconditions']>,
): void {
  for (const [field, shown] of [
    ['uid', 'UID'],
    ['resourceVersion', 'ResourceVersion'],
  ] as const) {
    const [wanted, found] = [preconditions[field], metadata[field]];
    if (wanted === undefined || wanted === found) continue;
    if (served.storageKey === 'namespaces') {
      const detail = `Precondition failed: ${shown} in precondition: ${wanted}, ${shown} in object meta: ${found}`;
      throw conflict(resourceName(served), metadata.name ?? '', detail);
    }
    const cause = field === 'uid' ? 'deleted and then recreated' : 'modified';
    const detail = `the ${shown} in the precondition (${wanted}) does not match the ${shown} in record (${found}). The object might have been ${cause}`;
    throw conflict(storedKindName(served), metadata.name ?? '', detail);
  }
}

/**
 * Returns the policy for dependents. Some kinds keep them unless the request or an earlier deletion decides otherwise; others own nothing.
 */
function policyOf(
  { strategy }: ServedResource,
  { finalizers = [] }: ObjectMeta,
  { propagationPolicy }: DeleteRequest,
): DeleteRequest['propagationPolicy'] {
  if (strategy.ownsNothing) return undefined;
  if (propagationPolicy !== undefined || !strategy.orphansDependents) return propagationPolicy;
  return finalizers.some((each) => each === ORPHAN || each === FOREGROUND) ? undefined : 'Orphan';
}

/** Whether an object can be removed at once, without being marked. */
function isFree(served: ServedResource, { metadata }: KubeObject, request: DeleteRequest): boolean {
  const { finalizers, deletionGracePeriodSeconds } = metadata;
  const { gracePeriod, holdsDeletion, markDeleted } = served.strategy;
  if (gracePeriod || holdsDeletion || markDeleted || deletionGracePeriodSeconds) return false;
  return !propagated(finalizers ?? [], policyOf(served, metadata, request)).length;
}

function propagated(finalizers: readonly string[], policy: DeleteRequest['propagationPolicy']): readonly string[] {
  if (policy === undefined) return finalizers;
  const others = finalizers.filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND);
  if (policy === 'Orphan') return [...others, ORPHAN];
  return policy === 'Foreground' ? [...others, FOREGROUND] : others;
}
