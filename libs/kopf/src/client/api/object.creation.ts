import { ApiConflictError, type ApiError } from './api.errors.js';
import type { KubeObject, ObjectMeta } from '../../objects/kube-object.js';
import type { Random } from 'kube-common';
import type { ApiCallOptions, KubeApi } from './api.client.js';
import { ifFound } from './object.reader.js';

/** The characters of generated names: no vowels, so that they form no words, and no digits that look like letters. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;

/** The longest generated name, with its suffix. */
const NAME_LENGTH = 63;

/** The most names that are tried if all are taken. */
const MOST_NAMES = 8;

/** The place of a new object, and the way to create it. */
export interface ObjectCreation<T extends KubeObject> {
  readonly object: T;
  /** The path of the collection, with the query. */
  readonly collection: string;
  /** The path of the object, once it has a name. */
  readonly pathOf: (name: string) => string;
  readonly options: ApiCallOptions;
}

/**
 * Creates an object with a `generateName`, under a name that is generated here, as API servers generate it.
 *
 * With the name, the request can be repeated if its response was lost: the server then answers that the object exists, and the object is
 * read. Names of other objects are skipped.
 *
 * @throws ApiConflictError if no name is free, or the created object is gone already.
 */
export async function createUnderGeneratedName<T extends KubeObject>(
  api: KubeApi,
  random: Random,
  { object, collection, pathOf, options }: ObjectCreation<T>,
): Promise<T> {
  const { generateName = '' } = object.metadata;
  for (let tried = 1; ; tried++) {
    const name = generateObjectName(generateName, random);
    const named = { ...object, metadata: { ...object.metadata, name } };
    try {
      return await api.post<T>(collection, named, options);
    } catch (error) {
      if (!isTaken(error)) throw error;
      if (error.afterLostAnswer) {
        const found = await ifFound(api.get<T>(pathOf(name), options));
        if (!found) throw error;
        if (isMadeFrom(found.metadata, named.metadata)) return found;
      }
      if (tried === MOST_NAMES) throw error;
    }
  }
}

/** Generates a name as API servers do. */
export function generateObjectName(prefix: string, random: Random): string {
  const pick = (): string => ALPHABET[Math.floor(random.next() * ALPHABET.length)];
  return prefix.slice(0, NAME_LENGTH - SUFFIX_LENGTH) + Array.from({ length: SUFFIX_LENGTH }, pick).join('');
}

function isTaken(error: unknown): error is ApiError {
  return error instanceof ApiConflictError && error.reason === 'AlreadyExists';
}

/** Whether the object has the metadata that were sent. Webhooks and defaults of the server may have changed the rest. */
function isMadeFrom(found: ObjectMeta, sent: ObjectMeta): boolean {
  const owners = new Set(found.ownerReferences?.map(({ uid }) => uid));
  return (
    found.generateName === sent.generateName &&
    contains(found.labels, sent.labels) &&
    contains(found.annotations, sent.annotations) &&
    (sent.ownerReferences ?? []).every(({ uid }) => owners.has(uid))
  );
}

function contains(found: Readonly<Record<string, string>> = {}, sent: Readonly<Record<string, string>> = {}): boolean {
  return Object.entries(sent).every(([key, value]) => found[key] === value);
}
