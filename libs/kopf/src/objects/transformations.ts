import type { KubeObject } from './kube-object.js';
import { deepCopy, getKey, isMap, type JsonMap, rejectPromise, setKey } from 'kube-common';
import { stateAnnotations } from './essences.js';
import { isEmptyMap, resolveField, setField, type FieldPath } from './field-path.js';
import { toJsonValue } from './json-values.js';
import type { FieldTransformation, PatchTransformation } from './patch-content.js';

/**
 * Applies transformations to a copy of the object, which shares with the object the parts that they do not change. The object itself stays
 * as it is. Errors of transformations are thrown.
 */
export function transformed(body: KubeObject, transformations: readonly FieldTransformation[]): KubeObject {
  const copy = copyFor(body, transformations);
  applyTransformations(copy, transformations);
  return copy;
}

/** Limits transformations to their changes of the status: the rest of the object has their changes already. */
export function ofStatusOnly(transformations: readonly PatchTransformation[]): readonly FieldTransformation[] {
  return transformations.map((transformation) =>
    Object.assign(
      (body: KubeObject) => {
        const copy = deepCopy(body);
        applyTransformations(copy, [transformation]);
        if (copy.status === undefined) delete body.status;
        else body.status = copy.status;
      },
      { field: ['status'], origin: transformation },
    ),
  );
}

/** Limits transformations to their changes outside the status: the status has their changes already. */
export function exceptStatus(transformations: readonly FieldTransformation[]): readonly FieldTransformation[] {
  return transformations.map((transformation) => {
    const { field = [], isDecidedAnew } = transformation;
    if (field.length > 0 && field[0] !== 'status') return transformation;
    const others = (body: KubeObject): void => {
      const copy = deepCopy(body) as unknown as JsonMap;
      applyTransformations(copy as unknown as KubeObject, [transformation]);
      const fields = body as unknown as JsonMap;
      for (const key of Object.keys(fields)) if (key !== 'status' && !Object.hasOwn(copy, key)) delete fields[key];
      for (const key of Object.keys(copy)) if (key !== 'status') setKey(fields, key, copy[key]);
    };
    return Object.assign(others, { isDecidedAnew, origin: transformation });
  });
}

/**
 * Applies transformations to a copy of an object, and converts to JSON what they have written into it.
 *
 * @throws TypeError if one is asynchronous, as its changes after the patch was created would be lost; if it writes values that JSON cannot
 * represent; or if it changes fields that identify the object.
 */
export function applyTransformations(copy: KubeObject, transformations: readonly FieldTransformation[]): void {
  for (const transformation of transformations) {
    if (transformation.isDecidedAnew) {
      // The framework's own: it changes nothing but its field.
      transformation(copy);
      continue;
    }
    const identity = IDENTITY.map((path) => resolveField(copy, path));
    const annotations = resolveField(copy, ANNOTATIONS);
    rejectPromise(
      transformation(copy),
      'A transformation of a patch has returned a promise: await before patch.transform(), not in it.',
    );
    settleTransformed(copy, transformation.field ?? []);
    if (isMap(annotations)) keepState(copy, annotations);
    const changed = IDENTITY.findIndex((path, index) => resolveField(copy, path) !== identity[index]);
    if (changed >= 0)
      throw new TypeError(`A transformation of a patch must not change ${IDENTITY[changed].join('.')}.`);
  }
}

/**
 * The fields that identify an object and its version. The API server would answer a change of them like a conflict, and the patch would be
 * retried without end.
 */
const IDENTITY: readonly FieldPath[] = [
  ['metadata', 'uid'],
  ['metadata', 'resourceVersion'],
];

const ANNOTATIONS: FieldPath = ['metadata', 'annotations'];

/**
 * Copies the state of operators into annotations that replace all former ones: without it, the object would be handled as a new one, again
 * and again.
 */
function keepState(copy: KubeObject, before: JsonMap): void {
  const after = resolveField(copy, ANNOTATIONS);
  if (after === before || (after !== undefined && after !== null && !isMap(after))) return;
  const state = stateAnnotations(before);
  if (!isEmptyMap(state)) setField(copy, ANNOTATIONS, { ...state, ...after });
}

const TRANSFORMED = 'A transformation of the patch cannot be sent: body';

/** Converts to JSON what a transformation has changed. */
function settleTransformed(copy: KubeObject, field: FieldPath): void {
  if (field.length === 0) {
    for (const name of Object.keys(copy)) setKey(copy, name, toJsonValue(copy[name], TRANSFORMED, [name]));
    return;
  }
  const value = resolveField(copy, field);
  const settled = toJsonValue(value, TRANSFORMED, field);
  if (settled !== value) setField(copy, field, settled);
}

function copyFor(body: KubeObject, transformations: readonly FieldTransformation[]): KubeObject {
  const copy: JsonMap = { ...body };
  for (const { field } of transformations) {
    if (field === undefined || field.length === 0) return deepCopy(body);
    copyAlong(copy, field);
  }
  return copy as KubeObject;
}

function copyAlong(copy: JsonMap, field: FieldPath): void {
  let level = copy;
  for (const name of field.slice(0, -1)) {
    const inner = getKey(level, name);
    if (!isMap(inner)) return;
    setKey(level, name, { ...inner });
    level = level[name] as JsonMap;
  }
  const last = field[field.length - 1];
  if (Object.hasOwn(level, last)) setKey(level, last, deepCopy(level[last]));
}
