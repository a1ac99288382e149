import { parseJson } from 'kube-common';
import { isJsonObject, type JsonObject, sortedJson } from '../common/json.values.js';
import { FieldSet } from './field.set.js';
import { metadataOf } from './managed.fields.js';
import { compareValues } from './value.comparison.js';
import { fieldsOf } from './value.fields.js';
import type { ValueType } from './value.type.js';

/** The annotation in which `kubectl apply` on the client's side keeps the applied configuration. */
const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/** The manager that keeps that annotation up to date when it migrates to server-side apply. */
export const KUBECTL = 'kubectl';

/** The manager of what `kubectl apply` writes on the client's side. */
export const CLIENT_SIDE_APPLY = 'kubectl-client-side-apply';

/** Returns the fields that were applied on the client's side and are still as they were applied: `kubectl` may change these. */
export function lastAppliedFields(live: unknown, apiVersion: string, type: ValueType): FieldSet {
  const text = annotationsOf(live)[ANNOTATION];
  if (typeof text !== 'string') return FieldSet.EMPTY;
  let applied: unknown;
  try {
    applied = parseJson(text);
  } catch {
    return FieldSet.EMPTY;
  }
  if (!isJsonObject(applied) || applied['apiVersion'] !== apiVersion) return FieldSet.EMPTY;
  const { added, modified, removed } = compareValues(applied, live, type);
  return fieldsOf(applied, type).difference(added).difference(modified).difference(removed);
}

/** Returns the object with the annotation set to what is applied now, where it has the annotation. */
export function withLastApplied(object: unknown, configuration: unknown): unknown {
  if (!isJsonObject(object) || !isJsonObject(configuration)) return object;
  const annotations = annotationsOf(object);
  if (annotations[ANNOTATION] === undefined) return object;
  const { annotations: given, ...head } = configuration['metadata'] as JsonObject;
  const { [ANNOTATION]: _, ...others } = annotationsOf(configuration);
  const applied = { ...configuration, metadata: { ...head, ...(isJsonObject(given) && { annotations: others }) } };
  const text = `${sortedJson(applied)}\n`;
  const metadata = { ...(object['metadata'] as object), annotations: { ...annotations, [ANNOTATION]: text } };
  return { ...object, metadata };
}

function annotationsOf(object: unknown): Readonly<Record<string, unknown>> {
  const annotations = isJsonObject(object) ? metadataOf(object)['annotations'] : undefined;
  return isJsonObject(annotations) ? annotations : {};
}
