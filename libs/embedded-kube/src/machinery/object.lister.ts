import { describeJsonError } from '../common/json.syntax-error.js';
import { nextTurn } from '../common/event-loop.turns.js';
import type { Eventual } from '../common/eventual.js';
import { mapping } from '../common/json.values.js';
import type { StatusError } from '../errors/status.error.js';
import { badRequest, expired, futureVersion } from '../errors/status.errors.js';
import type { ServedResource } from '../resources/served.resource.js';
import { CollectionView, objectKey } from '../storage/collection.view.js';
import type { ObjectStore } from '../storage/object.store.js';
import type { ResourceCollection } from '../storage/resource.collection.js';
import type { StoredObject } from '../storage/stored.object.js';
import { ObjectSelection } from './object.selection.js';

/** The query of a list or a watch. */
export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  /** The selector of a shard; empty for all objects. */
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
  /** The token of the next page; absent on the last one. */
  readonly continueToken?: string;
  /** The selector of the shard that the list is limited to. */
  readonly shard?: string;
  /** The number of remaining objects; unknown with selectors. */
  readonly remaining?: number;
}

/** The number of objects that are looked at before other requests are served. */
const SLICE = 2000;

/** The place where a list begins. */
interface StartingPoint {
  readonly revision: number;
  /** The key of the last object that was given before. */
  readonly after: string | undefined;
}

/** The objects of a list, up to its limit. */
class Page {
  readonly objects: StoredObject[] = [];

  constructor(
    private readonly revision: number,
    private readonly limit: number,
    private readonly shard: string | undefined,
  ) {}

  /**
   * Adds objects as long as there is room, and returns the list.
   *
   * @param count counts the objects that come after a key
   */
  take(selected: Iterable<StoredObject>, count?: (last: string) => number): ObjectList {
    const { objects, revision, limit } = this;
    const shard = this.shard !== undefined && { shard: this.shard };
    for (const object of selected) {
      if (limit > 0 && objects.length === limit) {
        const last = objectKey(objects.at(-1)!);
        const continueToken = encodeContinueToken({ revision, after: last });
        return { objects, revision, ...shard, continueToken, ...(count && { remaining: count(last) }) };
      }
      objects.push(object);
    }
    return { objects, revision, ...shard };
  }
}

/** Lists of objects, in pages at one version if the client asks for pages. */
export class ObjectLister {
  constructor(private readonly store: ObjectStore) {}

  /**
   * @param namespace `undefined` for all namespaces
   * @throws StatusError 400, 410 if the version is gone, 504 if it is yet to come
   */
  list(served: ServedResource, namespace: string | undefined, options: ListOptions): Eventual<ObjectList> {
    const selection = ObjectSelection.parse(
      served,
      options.labelSelector,
      options.fieldSelector,
      options.shardSelector,
    );
    const collection = this.store.collection(served.storageKey);
    const start = this.startingPoint(collection, options);
    const label = collection.size > SLICE ? this.indexedLabel(selection, start) : undefined;
    const indexing = label && collection.prepareLabel(label.key);
    // Objects may have been created and deleted in between.
    if (indexing) return indexing.then(() => this.list(served, namespace, options));
    // As on the real server, whose cache answers what may be of any age as a whole.
    const limit = options.resourceVersion === '0' && !options.continue ? 0 : options.limit;
    const page = new Page(start.revision, limit, selection.shard?.text);
    if (!selection.isAll && collection.size > SLICE) {
      // The state of this moment, as others may write while the list is made.
      const candidates = this.candidates(collection, namespace, selection, start);
      if (candidates.length > SLICE) return selectInSlices(candidates, selection, page);
      return page.take(candidates.filter((each) => selection.matches(each)));
    }
    const view = this.view(collection, namespace, selection, start.revision);
    if (selection.isAll && limit === 0) return { objects: view.listAfter(start.after), revision: start.revision };
    const selected = selection.isAll ? view.after(start.after) : matching(view.after(start.after), selection);
    return page.take(selected, selection.isAll ? (last) => view.countAfter(last) : undefined);
  }

  private startingPoint(collection: ResourceCollection, options: ListOptions): StartingPoint {
    const current = this.store.revision;
    if (options.continue) {
      const { revision, after } = decodeContinueToken(options.continue);
      if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
        throw badRequest('specifying resource version is not allowed when using continue');
      }
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

  /** Returns the objects that can match, in order: where a label is required, only those that have it. */
  private candidates(
    collection: ResourceCollection,
    namespace: string | undefined,
    selection: ObjectSelection,
    start: StartingPoint,
  ): readonly StoredObject[] {
    const { after = '' } = start;
    const label = this.indexedLabel(selection, start);
    if (!label) return this.view(collection, namespace, selection, start.revision).listAfter(after);
    const labelled = collection.labelled(label.key, label.values, namespace ?? selection.namespace);
    return after ? labelled.filter((each) => objectKey(each) > after) : labelled;
  }

  /** Returns the label by which objects are found, unless a name finds the only one, or the list shows an earlier version. */
  private indexedLabel(
    { requiredLabel, name }: ObjectSelection,
    { revision }: StartingPoint,
  ): ObjectSelection['requiredLabel'] {
    return name === undefined && revision >= this.store.revision ? requiredLabel : undefined;
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

function* matching(objects: Iterable<StoredObject>, selection: ObjectSelection): Generator<StoredObject> {
  for (const object of objects) if (selection.matches(object)) yield object;
}

async function selectInSlices(
  candidates: readonly StoredObject[],
  selection: ObjectSelection,
  page: Page,
): Promise<ObjectList> {
  for (let start = 0; ; start += SLICE) {
    const list = page.take(matching(candidates.slice(start, start + SLICE), selection));
    if (list.continueToken || start + SLICE >= candidates.length) return list;
    await nextTurn();
  }
}

/** @throws StatusError 400 */
function parseVersion(text: string): number {
  if (text === '') return 0;
  const isNumber = /^\d+$/.test(text);
  if (isNumber && Number(text) < 2 ** 64) return Number(text);
  const quoted = JSON.stringify(text);
  const cause = isNumber ? 'value out of range' : 'invalid syntax';
  throw badRequest(
    `invalid resource version: resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${cause}`,
  );
}

/** The place where the next page of a list begins: at which version, and after which object. */
interface ContinueToken {
  /** The version of the list; -1 for the newest, where the list's own is gone. */
  readonly revision: number;
  /** The key (`namespace/name`) of the last object that was given. */
  readonly after: string;
}

/** Returns the token in the server's form: JSON in unpadded base64. */
function encodeContinueToken({ revision, after }: ContinueToken): string {
  const start = `${after}\u0000`;
  return Buffer.from(JSON.stringify({ v: TOKEN_VERSION, rv: revision, start })).toString('base64url');
}

/** @throws StatusError 400 if it is no token of this server */
function decodeContinueToken(text: string): ContinueToken {
  const { v = '', rv = 0, start = '' } = parseToken(text);
  if (v !== TOKEN_VERSION) throw badToken(`server does not recognize this encoded version ${String(v)}`);
  if (rv === 0 || typeof rv !== 'number') {
    throw badToken(`incorrect encoded start resourceVersion (version ${TOKEN_VERSION})`);
  }
  if (start === '' || typeof start !== 'string') throw badToken(`encoded start key empty (version ${TOKEN_VERSION})`);
  return { revision: rv, after: start.replace(/\u0000$/, '') };
}

const TOKEN_VERSION = 'meta.k8s.io/v1';

function parseToken(text: string): Readonly<Record<string, unknown>> {
  const wrong = /[^\w-]/.exec(text)?.index ?? (text.length % 4 === 1 ? text.length - 1 : -1);
  if (wrong >= 0) throw badToken(`illegal base64 data at input byte ${wrong}`);
  const decoded = Buffer.from(text, 'base64url').toString('latin1');
  const problem = describeJsonError(decoded);
  if (problem !== undefined) throw badToken(problem);
  return mapping(JSON.parse(decoded));
}

function badToken(problem: string): StatusError {
  return badRequest(`invalid continue token: continue key is not valid: ${problem}`);
}
