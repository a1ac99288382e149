import type { Diff } from './diffs.js';
import type { KubeObject } from './kube-object.js';
import type { JsonPatchOperation } from './json-patch.js';
import { isMap, type JsonMap } from './json.js';

/** Replaces values in log lines that must not be shown. */
const REDACTED = '***';

/** The fields of Secrets that hold no values; annotations can hold copies of the whole Secret, and other fields are unknown. */
const HARMLESS = new Set(['apiVersion', 'kind', 'type', 'immutable', 'metadata']);

/** Tells Secrets from other objects. */
export interface KindOfObject {
  readonly apiVersion?: string;
  readonly kind?: string;
}

/** The object as it can be logged: of a Secret there are the names of its fields, but no values. */
export function redactObject(object: KubeObject): unknown {
  return isSecret(object) ? redactFields(object) : object;
}

/** A patch of an object as it can be logged: a merge patch, or a list of operations. */
export function redactPatch(kind: KindOfObject, patch: unknown): unknown {
  if (!isSecret(kind)) return patch;
  if (!Array.isArray(patch)) return isMap(patch) ? redactFields(patch) : REDACTED;
  return (patch as readonly JsonPatchOperation[]).map((operation) =>
    'value' in operation && !isHarmlessPath(operation.path.split('/').slice(1))
      ? { ...operation, value: REDACTED }
      : operation,
  );
}

/** A diff of an object as it can be logged. */
export function redactDiff(kind: KindOfObject, diff: Diff): unknown {
  if (!isSecret(kind)) return diff;
  return diff.map(([operation, path, before, after]) =>
    isHarmlessPath(path) ? [operation, path, before, after] : [operation, path, redact(before), redact(after)],
  );
}

function isSecret({ apiVersion, kind }: KindOfObject): boolean {
  return kind === 'Secret' && apiVersion === 'v1';
}

function redactFields(object: object): JsonMap {
  const fields = Object.entries(object).map(([key, value]): [string, unknown] => {
    if (key === 'metadata' && isMap(value)) return [key, redactAnnotations(value)];
    return [key, HARMLESS.has(key) ? value : redact(value)];
  });
  return Object.fromEntries(fields);
}

function redactAnnotations(metadata: JsonMap): JsonMap {
  return 'annotations' in metadata ? { ...metadata, annotations: redact(metadata.annotations) } : metadata;
}

/** Keeps the names in a map, and that a value is removed. */
function redact(value: unknown): unknown {
  if (value === null || value === undefined) return value;
  return isMap(value) ? Object.fromEntries(Object.keys(value).map((key) => [key, redact(value[key])])) : REDACTED;
}

function isHarmlessPath([field, member]: readonly string[]): boolean {
  if (field === 'metadata') return member !== undefined && member !== 'annotations';
  return HARMLESS.has(field);
}
