import { badRequest, expired, futureVersion } from '../errors/status.errors.js';
import type { ServedResource } from '../resources/served.resource.js';
import { CollectionView, objectKey } from '../storage/collection.view.js';
import type { ObjectStore } from '../storage/object.store.js';
import type { ResourceCollection } from '../storage/resource.collection.js';
import type { StoredObject } from '../storage/stored.object.js';
import { ObjectSelection } from './object.selection.js';

/** Holds the query of a list or a watch. */
export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  /** Selects a shard; empty for all. */
  readonly shardSelector: string;
  readonly limit: number;
  readonly continue: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  readonly timeoutSeconds: number | undefined;
}

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
  /** The selector of the shard that the list is limited to. */
  readonly shard?: string;
  /** Counts the remaining objects; unknown with selectors. */
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
    const selection = ObjectSelection.parse(
      served,
      options.labelSelector,
      options.fieldSelector,
      options.shardSelector,
    );
    const shard = selection.shard && { shard: selection.shard.text };
    const collection = this.store.collection(served.storageKey);
    const { revision, after } = this.startingPoint(collection, options);
    const view = this.view(collection, namespace, selection, revision);
    // As on the real server, whose cache answers what may be of any age as a whole.
    const limit = options.resourceVersion === '0' && !options.continue ? 0 : options.limit;
    const objects: StoredObject[] = [];
    for (const object of view.after(after)) {
      if (!selection.matches(object)) continue;
      if (limit > 0 && objects.length === limit) {
        const last = objectKey(objects.at(-1)!);
        const continueToken = encodeContinueToken({ revision, after: last });
        return {
          objects,
          revision,
          ...shard,
          continueToken,
          ...(selection.isAll && { remaining: view.countAfter(last) }),
        };
      }
      objects.push(object);
    }
    return { objects, revision, ...shard };
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

/** Tells where a list goes on: at which version, and after which object. */
interface ContinueToken {
  /** The version of the list; -1 for the newest, where the list's own is gone. */
  readonly revision: number;
  /** The key (`namespace/name`) of the last object that was given. */
  readonly after: string;
}

/** The token in the server's form: JSON in unpadded base64. */
function encodeContinueToken({ revision, after }: ContinueToken): string {
  const start = `${after}\u0000`;
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start })).toString('base64url');
}

/** @throws StatusError 400 if it is no token of this server */
function decodeContinueToken(text: string): ContinueToken {
  try {
    const token = JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>;
    const { v, rv, start } = token;
    if (v !== 'meta.k8s.io/v1') throw new Error(`server sent a continue token of an unknown version ${String(v)}`);
    if (typeof rv !== 'number' || typeof start !== 'string' || !start) throw new Error('incorrect encoded start');
    return { revision: rv, after: start.replace(/\u0000$/, '') };
  } catch (error) {
    throw badRequest(`invalid continue token: continue key is not valid: ${(error as Error).message}`);
  }
}
