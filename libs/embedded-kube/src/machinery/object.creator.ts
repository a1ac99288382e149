import type { AdmissionAttributes } from './write.admission.js';
import { after, type Eventual } from '../common/eventual.js';
import { StatusError } from '../errors/status.error.js';
import { alreadyExists, badRequest, invalid, methodNotAllowed } from '../errors/status.errors.js';
import type { KubeObject, Draft, MetadataDraft } from '../resources/kube-object.js';
import { StaleWriteError } from '../storage/object.store.js';
import { StoredObject, type WriteCause } from '../storage/stored.object.js';
import { timestamp } from '../common/timestamps.js';
import type { MachineryContext } from './machinery.context.js';
import { orderMetadata } from './metadata.decoder.js';
import { validateMetadata, finalizerWarnings } from './metadata.validator.js';
import { decodeObject } from './object.decoder.js';
import { assertStorable } from './object.size.js';
import type { ObjectOrigin } from '../resources/resource.strategy.js';
import { restoreManagedFields, trackFields } from './field.tracking.js';
import { resourceName, type ServedResource, storedKindName } from '../resources/served.resource.js';
import { deadlineOf, type WriteOptions, operationOptions } from './write.options.js';
import { SYSTEM_USER } from './api.user.js';

/** The number of generated names that are tried before the conflict is reported. */
const NAME_ATTEMPTS = 8;

/** The creation of objects. */
export class ObjectCreator {
  constructor(private readonly context: MachineryContext) {}

  /**
   * @param namespace the namespace of the request; empty for resources of the cluster
   * @param origin what the object was made from
   * @throws StatusError 400, 403, 404 (no such namespace), 409 (exists), 422
   */
  async create(
    served: ServedResource,
    namespace: string,
    body: unknown,
    options: WriteOptions,
    origin: ObjectOrigin = 'body',
  ): Promise<StoredObject> {
    if (served.closed) throw methodNotAllowed(served.closed);
    const decoded = decodeObject(served, body, origin, options);
    this.wipe(served, namespace, decoded);
    if (origin === 'body') trackFields(this.context.fields, served, decoded, undefined, undefined, options);
    const attributes = {
      operation: 'CREATE' as const,
      served,
      namespace: namespace || (served.storageKey === 'namespaces' ? (decoded.metadata.name ?? '') : ''),
      name: decoded.metadata.name ?? '',
      object: decoded,
      dryRun: options.dryRun === true,
      user: options.user ?? SYSTEM_USER,
      options: operationOptions('CreateOptions', options),
      warn: options.warn ?? (() => undefined),
      deadline: deadlineOf(options, this.context.clock),
    };
    const { managedFields } = decoded.metadata;
    const admitted = this.context.admission.admit(attributes);
    if (admitted instanceof Promise) await admitted;
    restoreManagedFields(decoded, managedFields, options.warn);
    const { name, generateName } = decoded.metadata;
    const attempts = !name && generateName ? NAME_ATTEMPTS : 1;
    for (let attempt = 1; ; attempt += 1) {
      const draft = { ...decoded, metadata: { ...decoded.metadata } };
      const prepared = this.prepare(served, namespace, { ...attributes, object: draft }, options);
      const object = prepared instanceof Promise ? await prepared : prepared;
      if (!options.dryRun) assertUnversioned(decoded.metadata.resourceVersion);
      const taken = this.context.store.collection(served.storageKey).get(namespace, object.metadata.name!);
      if (!taken && options.dryRun) return dryRunResult(object);
      if (!taken) return this.write(served, object, options.cause);
      if (attempt < attempts) continue;
      throw alreadyExists(resourceName(served), object.metadata.name!, !!taken!.object.metadata.deletionTimestamp);
    }
  }

  private prepare(
    served: ServedResource,
    namespace: string,
    attributes: AdmissionAttributes & { readonly object: Draft },
    options: WriteOptions,
  ): Eventual<KubeObject> {
    const { object: draft } = attributes;
    this.identify(served, namespace, draft);
    served.strategy.prepareForCreate(draft);
    const ofMetadata = validateMetadata(draft.metadata, served.strategy.nameRule);
    const warn = ofMetadata.length === 0 ? options.warn : undefined;
    const errors = [...ofMetadata, ...served.strategy.validate(draft, undefined, warn)];
    if (errors.length > 0) throw invalid(storedKindName(served), draft.metadata.name ?? '', errors);
    const named = attributes.name ? attributes : { ...attributes, name: draft.metadata.name ?? '' };
    return after(this.context.admission.validate(named), () => this.finish(served, draft, options));
  }

  private finish(served: ServedResource, draft: Draft, options: WriteOptions): Eventual<KubeObject> {
    if (served.custom) for (const warning of finalizerWarnings(draft.metadata)) options.warn?.(warning);
    draft.metadata = orderMetadata(draft.metadata, served.custom);
    const encoded = served.strategy.encode(draft) as KubeObject;
    return served.convertForStorage?.(encoded) ?? served.toStorage(encoded);
  }

  /** Removes the fields that only the server sets, before admission. */
  private wipe(served: ServedResource, namespace: string, { metadata }: Draft): void {
    assertNamespace(served, namespace, metadata);
    delete metadata.uid;
    delete metadata.creationTimestamp;
    delete metadata.deletionTimestamp;
    delete metadata.deletionGracePeriodSeconds;
  }

  private identify(served: ServedResource, namespace: string, { metadata }: Draft): void {
    const { clock, identities } = this.context;
    assertNamespace(served, namespace, metadata);
    if (!metadata.name && metadata.generateName) metadata.name = identities.name(metadata.generateName);
    metadata.uid = identities.uid();
    metadata.creationTimestamp = timestamp(clock.now());
    delete metadata.generation;
    delete metadata.deletionTimestamp;
    delete metadata.deletionGracePeriodSeconds;
  }

  private write(served: ServedResource, object: KubeObject, cause: WriteCause | undefined): StoredObject {
    assertStorable(object);
    try {
      return this.context.store.create(served.storageKey, object, cause);
    } catch (error) {
      if (error instanceof StaleWriteError) throw alreadyExists(resourceName(served), object.metadata.name!);
      throw error;
    }
  }
}

/** @throws StatusError 500 for an object that is written with a version; a version that is no number is ignored */
function assertUnversioned(version: string | undefined): void {
  if (!version || !/^\d+$/.test(version) || Number(version) === 0) return;
  throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created');
}

function assertNamespace(served: ServedResource, namespace: string, metadata: MetadataDraft): void {
  if (!served.resource.namespaced) {
    delete metadata.namespace;
    return;
  }
  if (metadata.namespace && metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  metadata.namespace = namespace;
}

/** Returns the answer to a dry run: an object without a version, as it is not stored. */
function dryRunResult(object: KubeObject): StoredObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return new StoredObject({ ...object, metadata } as KubeObject, 0);
}
