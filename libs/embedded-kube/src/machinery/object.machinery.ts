// machinery: the operations on objects: create, update, patch, apply, delete, list, watch.
// The same for all resources and all ways of access: what differs comes from the resource's strategy, what may be refused
// from the WriteAdmission that it is given.
// May import: everything up to storage, apply and typed; neither kinds nor HTTP.

import { notFound } from '../errors/status.errors.js';
import type { ObjectStore } from '../storage/object.store.js';
import type { StoredObject } from '../storage/stored.object.js';
import type { MachineryContext } from './machinery.context.js';
import { ObjectApplier } from './object.applier.js';
import { ObjectCreator } from './object.creator.js';
import { ObjectDeleter } from './object.deleter.js';
import { ObjectLister } from './object.lister.js';
import { ObjectUpdater } from './object.updater.js';
import { resourceName, type ServedResource } from '../resources/served.resource.js';
import type { WriteAdmission } from './write.admission.js';

/** All operations on objects, from HTTP and from controllers. */
export class ObjectMachinery {
  readonly store: ObjectStore;
  readonly admission: WriteAdmission;
  readonly creator: ObjectCreator;
  readonly updater: ObjectUpdater;
  readonly applier: ObjectApplier;
  readonly deleter: ObjectDeleter;
  readonly lister: ObjectLister;

  constructor(context: MachineryContext) {
    this.store = context.store;
    this.admission = context.admission;
    this.creator = new ObjectCreator(context);
    this.updater = new ObjectUpdater(context);
    this.applier = new ObjectApplier(context, this.creator, this.updater);
    this.deleter = new ObjectDeleter(context);
    this.lister = new ObjectLister(context.store);
  }

  has(served: ServedResource, namespace: string, name: string): boolean {
    return this.store.collection(served.storageKey).get(namespace, name) !== undefined;
  }

  /** @throws StatusError 404 */
  get(served: ServedResource, namespace: string, name: string): StoredObject {
    const found = this.store.collection(served.storageKey).get(namespace, name);
    if (!found) throw notFound(resourceName(served), name);
    return found;
  }
}
