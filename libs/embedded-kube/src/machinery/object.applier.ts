import { unconvertible } from '../apply/value.validation.js';
import { DecodingError } from '../errors/field.error.js';
import { conflict, notFound } from '../errors/status.errors.js';
import type { StoredObject } from '../storage/stored.object.js';
import type { Draft, KubeObject } from '../resources/kube-object.js';
import { type JsonObject, mapping } from '../common/json.values.js';
import type { MachineryContext } from './machinery.context.js';
import { managedWrite } from './field.tracking.js';
import type { ObjectCreator } from './object.creator.js';
import { assertName, type ObjectUpdater } from './object.updater.js';
import { resourceName, type ServedResource } from '../resources/served.resource.js';
import type { ObjectTarget, WriteOptions } from './write.options.js';

/** The number of attempts at an application that another client's creation or deletion interrupts. */
const ATTEMPTS = 8;

/** The result of an application. */
export interface AppliedObject {
  readonly stored: StoredObject;
  readonly created: boolean;
}

/** Server-side apply: creates objects, or changes in them what the configuration of a manager contains. */
export class ObjectApplier {
  constructor(
    private readonly context: MachineryContext,
    private readonly creator: ObjectCreator,
    private readonly updater: ObjectUpdater,
  ) {}

  /**
   * @param configuration the fields that the manager wants to be as they are there
   * @throws StatusError 400, 403, 404 (a subresource of nothing), 409 (others own the fields), 422, 500 (does not fit the schema)
   */
  async apply(
    served: ServedResource,
    target: ObjectTarget,
    configuration: unknown,
    options: WriteOptions,
  ): Promise<AppliedObject> {
    const { fields, store } = this.context;
    const write = managedWrite(served, target.subresource, options);
    const force = options.force === true;
    const exists = (): boolean => store.collection(served.storageKey).get(target.namespace, target.name) !== undefined;
    for (let attempt = 1; ; attempt += 1) {
      const existed = exists();
      try {
        if (existed) {
          const change = (current: object) => fields.apply({ ...current }, configuration, force, write);
          return { stored: await this.updater.change(served, target, change, 'apply', options), created: false };
        }
        if (target.subresource) throw notFound(resourceName(served), target.name);
        options.assertCreatable?.();
        const object = fields.apply(undefined, configuration, force, write) as Draft;
        return { stored: await this.create(served, target, object, options), created: true };
      } catch (error) {
        if (error instanceof DecodingError) throw unconvertible(configuration, write, error.message);
        if (attempt >= ATTEMPTS || exists() === existed) throw error;
      }
    }
  }

  /**
   * Applies a configuration to an object that is not stored by itself, such as the scale of another one.
   *
   * @returns the object as it is to be, with its `managedFields`
   * @throws StatusError 400, 409 (others own the fields), 500 (does not fit the schema)
   */
  applied(
    served: ServedResource,
    subresource: string,
    object: KubeObject,
    configuration: unknown,
    options: WriteOptions,
  ): JsonObject {
    const write = managedWrite(served, subresource, options);
    return this.context.fields.apply({ ...object }, configuration, options.force === true, write);
  }

  /** Returns the owners of such an object after it was written by other means than applying. */
  owners(
    served: ServedResource,
    subresource: string,
    before: KubeObject,
    after: Draft,
    options: WriteOptions,
  ): readonly object[] {
    const sent = served.strategy.encode({ ...after }, true);
    const write = managedWrite(served, subresource, options);
    return this.context.fields.update(before as JsonObject, sent, write) ?? [];
  }

  private create(
    served: ServedResource,
    target: ObjectTarget,
    object: Draft,
    options: WriteOptions,
  ): Promise<StoredObject> {
    const { resourceVersion: _, ...metadata } = mapping(object.metadata);
    if (metadata['uid']) {
      const reason = `uid mismatch: the provided object specified uid ${String(metadata['uid'])}, and no existing object was found`;
      throw conflict(resourceName(served), target.name, reason);
    }
    assertName(target, { ...object, metadata });
    return this.creator.create(served, target.namespace, { ...object, metadata }, options, 'apply');
  }
}
