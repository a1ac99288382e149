import { invalidField } from '../errors/field.error.js';
import { badRequest, conflict, invalid, notFound } from '../errors/status.errors.js';
import { after, type Eventual } from '../common/eventual.js';
import { StatusError } from '../errors/status.error.js';
import type { KubeObject, Draft } from '../resources/kube-object.js';
import { jsonEqual } from '../common/json.values.js';
import { StaleWriteError } from '../storage/object.store.js';
import { StoredObject, type WriteCause } from '../storage/stored.object.js';
import type { MachineryContext } from './machinery.context.js';
import { orderMetadata } from './metadata.decoder.js';
import { validateMetadata, validateMetadataUpdate, finalizerWarnings } from './metadata.validator.js';
import { decodeObject } from './object.decoder.js';
import { assertStorable } from './object.size.js';
import type { ObjectOrigin } from '../resources/resource.strategy.js';
import { restoreManagedFields, trackFields } from './field.tracking.js';
import { resourceName, type ServedResource, storedKindName } from '../resources/served.resource.js';
import { deadlineOf, type ObjectTarget, type WriteOptions, operationOptions } from './write.options.js';
import { SYSTEM_USER } from './api.user.js';

/** The number of attempts at a change that other changes interrupt. */
const ATTEMPTS = 32;

/** A function that makes the next state of an object from the stored one; it returns a promise if that takes time. */
export type ObjectChange = (current: KubeObject) => unknown;

/** The state that an update starts from. */
interface Before {
  readonly current: StoredObject;
  /** The same in the request's version. */
  readonly previous: KubeObject;
  readonly origin: ObjectOrigin;
  readonly deadline: number;
}

/** The replacement and patching of objects. */
export class ObjectUpdater {
  constructor(private readonly context: MachineryContext) {}

  /**
   * Replaces an object, or its status through the subresource.
   *
   * @throws StatusError 400, 404, 409, 422
   */
  replace(served: ServedResource, target: ObjectTarget, body: unknown, options: WriteOptions): Promise<StoredObject> {
    return this.change(served, target, () => body, 'body', options);
  }

  /**
   * Applies a change to the newest state of an object, again if another change comes between.
   *
   * @param change gets the object in the request's version; throws what the client is to see
   * @throws StatusError 400, 404, 409, 422
   */
  async change(
    served: ServedResource,
    target: ObjectTarget,
    change: ObjectChange,
    origin: ObjectOrigin,
    options: WriteOptions,
  ): Promise<StoredObject> {
    const collection = this.context.store.collection(served.storageKey);
    const deadline = deadlineOf(options, this.context.clock);
    for (let attempt = 1; ; attempt += 1) {
      const current = collection.get(target.namespace, target.name);
      if (!current) throw this.absence(served, target, change, origin, options);
      const previous = served.fromStorage(current.object);
      const changed = change(previous);
      const next = changed instanceof Promise ? await changed : changed;
      const decoded = decodeObject(served, next, origin, options);
      assertTarget(served, target, decoded);
      if (origin !== 'apply') trackFields(this.context.fields, served, decoded, previous, target.subresource, options);
      const prepared = this.prepare(served, target, decoded, { current, previous, origin, deadline }, options);
      const object = prepared instanceof Promise ? await prepared : prepared;
      if (options.dryRun) return new StoredObject(object, current.revision);
      try {
        return this.write(served, current, object, options.cause);
      } catch (error) {
        if (!(error instanceof StaleWriteError)) throw error;
        if (attempt >= ATTEMPTS) throw conflict(resourceName(served), target.name);
      }
    }
  }

  /** Makes the error for an object that does not exist. Errors of a body that cannot be read, or is about another object, come first. */
  private absence(
    served: ServedResource,
    target: ObjectTarget,
    change: ObjectChange,
    origin: ObjectOrigin,
    options: WriteOptions,
  ): StatusError {
    if (origin === 'body') {
      const decoded = decodeObject(served, change({} as KubeObject), origin, options);
      assertTarget(served, target, decoded);
    }
    return notFound(resourceName(served), target.name);
  }

  private check(
    served: ServedResource,
    target: ObjectTarget,
    { metadata }: Draft,
    { current, origin }: Before,
    dryRun = false,
  ): void {
    const resource = resourceName(served);
    const uid = current.object.metadata.uid;
    if (origin === 'body' && metadata.uid && metadata.uid !== uid) {
      throw otherIdentity(served, target, metadata.uid, { stored: uid, dryRun });
    }
    const version = metadata.resourceVersion;
    if (!version || version === '0') {
      if (origin !== 'body' || served.strategy.unconditionalUpdate) return;
      const error = invalidField('metadata.resourceVersion', 0, 'must be specified for an update');
      throw invalid(resource, target.name, [error]);
    }
    assertVersion(version);
    if (Number(version) !== current.revision) throw conflict(resource, target.name);
  }

  private prepare(
    served: ServedResource,
    target: ObjectTarget,
    draft: Draft,
    before: Before,
    options: WriteOptions,
  ): Eventual<KubeObject> {
    const { current, previous, deadline } = before;
    const admission = options.admitted ? undefined : this.context.admission;
    const attributes = {
      ...target,
      namespace: target.namespace || (served.storageKey === 'namespaces' ? target.name : ''),
      operation: 'UPDATE' as const,
      served,
      object: draft,
      previous,
      dryRun: options.dryRun === true,
      user: options.user ?? SYSTEM_USER,
      options: operationOptions('UpdateOptions', options),
      warn: options.warn ?? (() => undefined),
      deadline,
    };
    const { managedFields } = draft.metadata;
    return after(admission?.admit(attributes), () => {
      restoreManagedFields(draft, managedFields, options.warn);
      this.check(served, target, draft, before, options.dryRun);
      inheritMetadata(draft, previous);
      served.strategy.prepareForUpdate(draft, previous, target.subresource);
      const ofMetadata = [
        ...validateMetadata(draft.metadata, served.strategy.nameRule),
        ...validateMetadataUpdate(draft.metadata, previous),
      ];
      const warn = ofMetadata.length === 0 ? options.warn : undefined;
      const errors = [...ofMetadata, ...served.strategy.validate(draft, previous, warn, target.subresource)];
      if (errors.length > 0) throw invalid(storedKindName(served), target.name, errors);
      draft.metadata.resourceVersion = previous.metadata.resourceVersion;
      return after(admission?.validate(attributes), () => this.finish(served, draft, current, options));
    });
  }

  private finish(
    served: ServedResource,
    draft: Draft,
    { object: stored }: StoredObject,
    options: WriteOptions,
  ): Eventual<KubeObject> {
    if (served.custom)
      for (const warning of finalizerWarnings(draft.metadata, stored.metadata)) options.warn?.(warning);
    draft.metadata = orderMetadata(draft.metadata, served.custom);
    const encoded = served.strategy.encode(draft) as KubeObject;
    return after(served.convertForStorage?.(encoded) ?? served.toStorage(encoded), (object) => {
      const isTracked = object.metadata.managedFields !== undefined;
      return isTracked && this.context.fields.isNoChange(stored, object) ? stored : object;
    });
  }

  private write(
    served: ServedResource,
    current: StoredObject,
    object: KubeObject,
    cause: WriteCause | undefined,
  ): StoredObject {
    const { store } = this.context;
    const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
    const finished =
      deletionTimestamp !== undefined &&
      !deletionGracePeriodSeconds &&
      !finalizers?.length &&
      !served.strategy.holdsDeletion?.(object);
    if (finished) {
      // The last event shows what was stored; only who took the last finalizer away sees the object without it.
      store.delete(served.storageKey, current, cause);
      return new StoredObject(object, current.revision);
    }
    if (jsonEqual(object, current.object)) return current;
    assertStorable(object);
    return store.update(served.storageKey, current, object, cause);
  }
}

/** @throws StatusError 400 if an object is not the one that the request is about */
export function assertTarget(served: ServedResource, target: ObjectTarget, { metadata }: Draft): void {
  if (served.resource.namespaced) {
    if (metadata.namespace && metadata.namespace !== target.namespace) {
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    }
    metadata.namespace = target.namespace;
  } else delete metadata.namespace;
  assertName(target, { metadata });
}

/** @throws StatusError 400 if an object has no name, or another one than the request */
export function assertName(target: ObjectTarget, { metadata }: Pick<Draft, 'metadata'>): void {
  if (!metadata.name) {
    throw badRequest(`the name of the object (${target.name} based on URL) was undeterminable: name must be provided`);
  }
  if (metadata.name !== target.name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${target.name})`);
  }
}

/** The resources that the real server stores under another name. */
const STORAGE_NAMES: Readonly<Record<string, string>> = {
  services: 'services/specs',
  endpoints: 'services/endpoints',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  ingresses: 'ingress',
};

/** Makes the error for an object with another identity than the stored one; without one, nothing is stored. */
export function otherIdentity(
  served: ServedResource,
  target: ObjectTarget,
  requested: string,
  { stored = '', dryRun = false }: { readonly stored?: string; readonly dryRun?: boolean } = {},
): StatusError {
  const resource = resourceName(served);
  const name = served.custom ? `${resource.group}/${resource.name}` : (STORAGE_NAMES[resource.name] ?? resource.name);
  // A dry run does not come as far as where the real server puts its prefix before keys.
  const key = [dryRun ? '' : '/registry', name, ...[target.namespace, target.name].filter(Boolean)].join('/');
  const detail = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${requested}, UID in object meta: ${stored}`;
  return conflict(resource, target.name, detail);
}

/** @throws StatusError 500 if a version is no number */
export function assertVersion(version: string | undefined): void {
  if (!version || /^\d+$/.test(version)) return;
  throw new StatusError(500, '', `strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
}

/** Keeps fields that a request leaves out and cannot remove. */
function inheritMetadata({ metadata }: Draft, { metadata: old }: KubeObject): void {
  if (old.namespace !== undefined) metadata.namespace ??= old.namespace;
  metadata.uid ??= old.uid;
  metadata.creationTimestamp = old.creationTimestamp;
  if (old.generation === undefined) delete metadata.generation;
  else metadata.generation = old.generation;
  if (old.deletionTimestamp !== undefined) metadata.deletionTimestamp ??= old.deletionTimestamp;
  if (old.deletionGracePeriodSeconds !== undefined) {
    metadata.deletionGracePeriodSeconds ??= old.deletionGracePeriodSeconds;
  }
}
