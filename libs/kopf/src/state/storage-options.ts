import type { KubeObject } from '../objects/kube-object.js';
import { parseFieldPath, type FieldPath, type FieldSpec } from '../objects/field-path.js';

/** Gets what a storage has to say about its setup, or about the state in an object. */
export type WarningCallback = (message: string, body?: KubeObject) => void;

/** The default prefix of annotations; Kopf's. */
export const DEFAULT_PREFIX = 'kopf.zalando.org';

/** Options of the storages in annotations. */
export interface AnnotationsStorageOptions {
  /** The domain-like part before the slash of the annotations' keys. @default kopf.zalando.org */
  prefix?: string;
  /** Keeps state also under the keys of older versions of Kopf (V1). @default true */
  v1?: boolean;
  /** Called if the prefix is too long, and when stored state is unreadable. @default nothing */
  onWarning?: WarningCallback;
}

/** Options of the storages in the status. */
export interface StatusStorageOptions {
  /** Replaces `{name}` in the fields. @default kopf */
  name?: string;
}

/**
 * Converts a field of the status storages to its path, with `{name}` replaced in strings.
 *
 * @throws TypeError if the field is not inside of the status, the spec, or the metadata.
 */
export function parseStorageField(field: FieldSpec, name: string): FieldPath {
  const path = parseFieldPath(typeof field === 'string' ? field.replaceAll('{name}', name) : field);
  if (path.length < 2 || !['status', 'spec', 'metadata'].includes(path[0])) {
    throw new TypeError(`A storage's field must be inside of the status. Got ${JSON.stringify(field)}.`);
  }
  return path;
}
