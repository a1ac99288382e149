import type { KubeObject } from '../objects/kube-object.js';
import type { Patch } from '../objects/patches.js';
import { managedMarkOf } from './annotation-sizes.js';
import { type WarningCallback, DEFAULT_PREFIX } from './storages.js';
import { blake2b } from '@noble/hashes/blake2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';

/** The longest key of an annotation, with its prefix, that Kubernetes accepts. */
const KEY_LIMIT = 253;
/** The most ids whose keys are cached: ids of sub-handlers come from data, so their number has no limit. */
const CACHE_LIMIT = 10_000;

interface FormedKeys {
  readonly readable: readonly string[];
  readonly writable: readonly string[];
}

/** The keys of an id, including those under former prefixes. */
interface IdKeys extends FormedKeys {
  readonly former: readonly string[];
}

/** The keys of annotations for ids, under one prefix. The keys of each id are formed once. */
export class AnnotationKeys {
  private readonly formed = new Map<string, IdKeys>();

  /**
   * @param prefix the domain-like part before the slash. With more than 189 characters, a warning is logged, as the API server rejects keys
   *   of more than 253 characters.
   * @param v1 whether the keys of older versions of Kopf (V1) are used, too.
   * @param formerPrefixes former prefixes, under which objects may still have values.
   * @throws TypeError if the prefix or a former one is empty, or if they are the same.
   */
  constructor(
    readonly prefix: string,
    private readonly v1: boolean,
    onWarning?: WarningCallback,
    private readonly formerPrefixes: readonly string[] = [],
  ) {
    if (formerPrefixes.includes(prefix)) throw new TypeError(`The prefix ${prefix} is not a former one.`);
    if (!prefix || formerPrefixes.includes('')) throw new TypeError('A storage in annotations needs a prefix.');
    if (prefix.length > KEY_LIMIT - NAME_LIMIT - 1) {
      onWarning?.(`The prefix of annotations is too long, objects can be impossible to patch: ${prefix}`);
    }
  }

  /** The keys under which the value of an id is read in this object, the preferred one first. */
  readable(id: string, body: KubeObject): readonly string[] {
    return this.form(id, body).readable;
  }

  /** The keys under which the value of an id is stored in this object, except those that the API server would reject. */
  writable(id: string, body: KubeObject): readonly string[] {
    return this.form(id, body).writable;
  }

  /** Removes the values of an id that are under former prefixes, and the marks of those prefixes if no other value is left there. */
  removeFormer(id: string, body: KubeObject, patch: Patch): void {
    const present = body.metadata?.annotations;
    if (this.formerPrefixes.length === 0 || !present) return;
    const { annotations } = patch.metadata;
    Object.assign(annotations, this.formerChanges(id, body));
    for (const prefix of this.formerPrefixes) {
      const mark = managedMarkOf(prefix);
      if (present[mark] === undefined) continue;
      const others = Object.keys(present).filter((name) => name.startsWith(`${prefix}/`) && name !== mark);
      if (others.every((name) => annotations[name] === null)) annotations[mark] = null;
    }
  }

  /** The changes of annotations that remove the values of an id under former prefixes. */
  formerChanges(id: string, body: KubeObject): Readonly<Record<string, null>> {
    if (this.formerPrefixes.length === 0) return {};
    const present = body.metadata?.annotations ?? {};
    const names = this.form(id, body).former.filter((name) => present[name] !== undefined);
    return Object.fromEntries(names.map((name) => [name, null]));
  }

  /** Returns the value of an id under a former prefix, unchanged. */
  findFormer(id: string, body: KubeObject): string | undefined {
    const present = body.metadata?.annotations;
    if (this.formerPrefixes.length === 0 || !present) return undefined;
    const name = this.form(id, body).former.find((each) => present[each] !== undefined);
    return name === undefined ? undefined : present[name];
  }

  /** Whether an annotation is under the prefix or a former one. */
  covers(name: string): boolean {
    return name.startsWith(`${this.prefix}/`) || this.formerPrefixes.some((prefix) => name.startsWith(`${prefix}/`));
  }

  private form(id: string, body: KubeObject): IdKeys {
    const raw = isReplicaSetOfDeployment(body) ? `${id}-ofDRS` : id;
    let keys = this.formed.get(raw);
    if (!keys) {
      if (this.formed.size >= CACHE_LIMIT) this.formed.clear();
      const { readable, writable } = formKeys(this.prefix, raw, this.v1);
      const former = this.formerPrefixes.flatMap((prefix) => formKeys(prefix, raw, true).readable);
      this.formed.set(raw, (keys = { readable: [...readable, ...former], writable, former }));
    }
    return keys;
  }
}

/** Forms all keys of an id under a prefix, for any object. */
export function formKeys(prefix: string, id: string, v1: boolean): FormedKeys {
  const v2Key = createV2Key(prefix, id);
  const v1Key = v1 ? createV1Key(prefix, id) : v2Key;
  if (v1Key === v2Key) return { readable: [v2Key], writable: [v2Key] };
  return { readable: [v2Key, v1Key], writable: isNameTooLong(v1Key) ? [v2Key] : [v2Key, v1Key] };
}

/**
 * Whether the object is the replica set of a deployment. Deployments copy their annotations to their replica sets, and would overwrite the
 * state of the latter.
 */
function isReplicaSetOfDeployment(body: KubeObject): boolean {
  if (body.kind !== 'ReplicaSet') return false;
  return body.metadata?.ownerReferences?.some((owner) => owner.kind === 'Deployment') ?? false;
}

/** The longest name of an annotation, without the prefix and its slash, that Kubernetes accepts. */
export const NAME_LIMIT = 63;

/**
 * Forms the key of an id as Kopf does now (V2): the name alone is limited to 63 characters; a longer id is cut, and a hash of the whole id
 * is appended.
 */
export function createV2Key(prefix: string, id: string): string {
  const suffix = lengthOf(id) > NAME_LIMIT ? createSuffix(id) : '';
  return `${prefix}/${take(replaceUnsafeCharacters(id), NAME_LIMIT - suffix.length)}${suffix}`;
}

/**
 * Forms the key of an id as older versions of Kopf did (V1): the whole key is limited to 63 characters.
 *
 * With a prefix of 56 or more characters, the name can be longer than Kubernetes accepts; see {@link isNameTooLong}.
 */
export function createV1Key(prefix: string, id: string): string {
  const safe = replaceUnsafeCharacters(id);
  const limit = NAME_LIMIT - lengthOf(prefix) - 1;
  const suffix = lengthOf(safe) > limit ? createSuffix(safe) : '';
  return `${prefix}/${take(safe, limit - suffix.length)}${suffix}`;
}

/** Creates the hash that replaces the tail of a long id: `-` and up to 6 characters, ending with a letter or a digit. */
export function createSuffix(id: string): string {
  const digest = blake2b(utf8ToBytes(id), { dkLen: 4 });
  const base64 = Buffer.from(digest).toString('base64').replaceAll('+', '-').replaceAll('/', '.');
  return `-${base64}`.replace(/[=.-]+$/, '');
}

/** Replaces the characters that are allowed in ids, but not in the names of annotations: slashes and angle brackets. */
export function replaceUnsafeCharacters(id: string): string {
  return id.replaceAll('/', '.').replaceAll('<', '_').replaceAll('>', '_');
}

/** Whether the name of an annotation, without its prefix, is longer than Kubernetes accepts. */
export function isNameTooLong(key: string): boolean {
  return key.length - key.indexOf('/') - 1 > NAME_LIMIT;
}

/** Returns the first characters of a text; with a negative count, all but the last ones, as a slice in Python does. */
function take(text: string, count: number): string {
  return isBasic(text) ? text.slice(0, count) : Array.from(text).slice(0, count).join('');
}

/** Counts the characters of a text as Python does. JavaScript counts characters beyond the basic plane twice. */
function lengthOf(text: string): number {
  return isBasic(text) ? text.length : Array.from(text).length;
}

function isBasic(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text);
}

/** The pattern of the names that Kubernetes accepts for annotations, without the prefix. */
const VALID_NAME = /^[a-z0-9]([-_.a-z0-9]{0,61}[a-z0-9])?$/i;

/** The default names of the annotations that the storages use for themselves. */
const RESERVED_IDS = ['last-handled-configuration', 'last-handled-configuration-uid', 'touch-dummy', 'kopf-managed'];

/** Ids that would share an annotation, so that each handler would read the progress of the other. */
export interface KeyCollision {
  readonly key: string;
  readonly ids: readonly string[];
}

/**
 * Finds the ids of one resource's handlers that would share an annotation with each other, or with those of the storages.
 *
 * Keys are formed as Kopf forms them: `/` becomes `.`, and angle brackets become `_`. So `a/b` and `a.b` have the same key, and the second
 * handler would never be called. The operator does not start with such ids.
 *
 * @param options.v1 whether the keys of older versions of Kopf are used, too.
 * @default true
 */
export function findKeyCollisions(ids: Iterable<string>, { prefix = DEFAULT_PREFIX, v1 = true } = {}): KeyCollision[] {
  const idsByKey = new Map<string, string[]>();
  for (const id of [...RESERVED_IDS, ...new Set(ids)]) {
    for (const key of formKeys(prefix, id, v1).readable) {
      const sharing = idsByKey.get(key);
      if (sharing) sharing.push(id);
      else idsByKey.set(key, [id]);
    }
  }
  return [...idsByKey].filter(([, sharing]) => sharing.length > 1).map(([key, sharing]) => ({ key, ids: sharing }));
}

/**
 * Finds the ids of handlers that cannot be stored in annotations, as the API server would reject the patch. Names must begin and end with a
 * letter or a digit, and contain only letters, digits, `-`, `_`, `.`; ids can also contain `/`.
 */
export function findInvalidIds(ids: Iterable<string>): string[] {
  return [...ids].filter((id) => !VALID_NAME.test(createV2Key('', id).slice(1)));
}
