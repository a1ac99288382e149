import { badRequest, expired, futureVersion } from '../errors/status.errors.js';
import type { ObjectStore } from '../storage/object.store.js';
import { CollectionView, objectKey } from '../storage/collection.view.js';
import type { ResourceCollection } from '../storage/resource.collection.js';
import type { StoredObject } from '../storage/stored.object.js';
import { decodeContinueToken, encodeContinueToken } from './continue.token.js';
import type { ListOptions } from './list.options.js';
import { ObjectSelection } from './object.selection.js';
import type { ServedResource } from '../resources/served.resource.js';

const EXPIRED_CONTINUE =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted ' +
  'between the time the first chunk was returned and now may show up in the list.';

/** A list, or a page of one. */
export interface ObjectList {
  readonly objects: readonly StoredObject[];
  readonly revision: number;
  /** Set if there is more. */
  readonly continueToken?: string;
  /** How many more there are; unknown with selectors. */
  readonly remaining?: number;
}

/** Lists objects, in pages at one version if asked to. */
export class ObjectLister {
  constructor(private readonly store: ObjectStore) {}

  /**
   * @param namespace `undefined` for all namespaces
   * @throws StatusError 400, 410 if the version is gone, 504 if it is yet to come
   */
  list(served: ServedResource, namespace: string | undefined, options: ListOptions): ObjectList {
    const selection = ObjectSelection.parse(served, options.labelSelector, options.fieldSelector);
    const collection = this.store.collection(served.storageKey);
    const { revision, after } = this.startingPoint(collection, options);
    const view = this.view(collection, namespace, selection, revision);
    const objects: StoredObject[] = [];
    for (const object of view.after(after)) {
      if (!selection.matches(object)) continue;
      if (options.limit > 0 && objects.length === options.limit) {
        const last = objectKey(objects.at(-1)!);
        const continueToken = encodeContinueToken({ revision, after: last });
        return { objects, revision, continueToken, ...(selection.isAll && { remaining: view.countAfter(last) }) };
      }
      objects.push(object);
    }
    return { objects, revision };
  }

  private startingPoint(
    collection: ResourceCollection,
    options: ListOptions,
  ): { revision: number; after: string | undefined } {
    const current = this.store.revision;
    if (options.continue) {
      const { revision, after } = decodeContinueToken(options.continue);
      if (revision < 0) return { revision: current, after };
      if (!collection.history.covers(revision) || revision > current) {
        throw expired(EXPIRED_CONTINUE, encodeContinueToken({ revision: -1, after }));
      }
      return { revision, after };
    }
    const requested = parseVersion(options.resourceVersion);
    if (requested > current) throw futureVersion(options.resourceVersion, current);
    const exact = options.resourceVersionMatch === 'Exact';
    if (!exact || requested === 0) return { revision: current, after: undefined };
    if (!collection.history.covers(requested)) {
      throw expired(`The resourceVersion for the provided list is too old.`);
    }
    return { revision: requested, after: undefined };
  }

  private view(
    collection: ResourceCollection,
    namespace: string | undefined,
    selection: ObjectSelection,
    revision: number,
  ): CollectionView {
    const scope = namespace ?? selection.namespace;
    if (revision < this.store.revision) return collection.view(revision, scope);
    if (selection.name === undefined || scope === undefined) return collection.view(undefined, scope);
    // One object is found without looking at the others.
    const only = collection.get(scope, selection.name);
    return new CollectionView([], new Map(only ? [[objectKey(only), only]] : []));
  }
}

/** @throws StatusError 400 */
function parseVersion(text: string): number {
  if (text === '') return 0;
  if (/^\d+$/.test(text)) return Number(text);
  const quoted = JSON.stringify(text);
  throw badRequest(
    `invalid resource version: resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`,
  );
}
