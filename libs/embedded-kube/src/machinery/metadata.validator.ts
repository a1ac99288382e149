import { type FieldError, forbiddenField, invalidField, longField, requiredField } from '../errors/field.error.js';
import type { KubeObject, ObjectMeta } from '../resources/kube-object.js';
import { labelValue, type NameRule, qualifiedName } from '../resources/name.rules.js';

/** The limit of all annotations of an object together, keys and values, in bytes. */
const ANNOTATIONS_LIMIT = 256 * 1024;

/** Checks the metadata of an object that is written. */
export function validateMetadata(metadata: ObjectMeta, nameRule: NameRule): FieldError[] {
  const { name = '', generateName, labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = metadata;
  const errors: FieldError[] = [];
  if (generateName) {
    const problems = nameRule(generateName.replace(/[-.]$/, '') || 'x');
    errors.push(...problems.map((problem) => invalidField('metadata.generateName', generateName, problem)));
  }
  if (!name) errors.push(requiredField('metadata.name', 'name or generateName is required'));
  else errors.push(...nameRule(name).map((problem) => invalidField('metadata.name', name, problem)));
  for (const [key, value] of Object.entries(labels)) {
    errors.push(...qualifiedName(key).map((problem) => invalidField('metadata.labels', key, problem)));
    errors.push(...labelValue(value).map((problem) => invalidField('metadata.labels', value, problem)));
  }
  errors.push(...validateAnnotations(annotations));
  for (const reference of ownerReferences) errors.push(...validateOwner(reference));
  errors.push(...validateControllers(ownerReferences));
  for (const finalizer of finalizers) {
    errors.push(...qualifiedName(finalizer).map((problem) => invalidField('metadata.finalizers', finalizer, problem)));
  }
  return errors;
}

/** Checks what may not change in the metadata of an object. */
export function validateMetadataUpdate(next: ObjectMeta, previous: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  const old = previous.metadata;
  if (old.deletionTimestamp) {
    const added = (next.finalizers ?? []).filter((finalizer) => !old.finalizers?.includes(finalizer));
    if (added.length > 0) {
      const list = added.map((finalizer) => JSON.stringify(finalizer)).join(', ');
      const rule = 'no new finalizers can be added if the object is being deleted, found new finalizers';
      errors.push(forbiddenField('metadata.finalizers', `${rule} []string{${list}}`));
    }
  }
  for (const field of ['name', 'namespace', 'uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if (next[field] !== old[field]) errors.push(invalidField(`metadata.${field}`, next[field], 'field is immutable'));
  }
  // The real server checks them twice, and lists each cause as often.
  return [...errors, ...errors];
}

function validateAnnotations(annotations: Readonly<Record<string, string>>): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    errors.push(
      ...qualifiedName(key.toLowerCase()).map((problem) => invalidField('metadata.annotations', key, problem)),
    );
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (size > ANNOTATIONS_LIMIT) errors.push(longField('metadata.annotations', ANNOTATIONS_LIMIT));
  return errors;
}

function validateOwner(reference: object): FieldError[] {
  const owner = reference as Record<string, unknown>;
  return ['apiVersion', 'kind', 'name', 'uid']
    .filter((field) => !owner[field])
    .map((field) => {
      const path = `metadata.ownerReferences.${field}`;
      return field === 'apiVersion'
        ? invalidField(path, '', 'version must not be empty')
        : invalidField(path, '', 'must not be empty');
    });
}

function validateControllers(references: NonNullable<ObjectMeta['ownerReferences']>): FieldError[] {
  const controllers = references.filter((reference) => reference.controller === true);
  if (controllers.length < 2) return [];
  const [first, second] = controllers;
  const detail = `Only one reference can have Controller set to true. Found "true" in references for ${first!.kind}/${first!.name} and ${second!.kind}/${second!.name}`;
  return [invalidField('metadata.ownerReferences', references, detail)];
}

const STANDARD = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

/** Warns of finalizers of custom resources without a domain, which could clash with others; only of new ones. */
export function finalizerWarnings({ finalizers = [] }: ObjectMeta, previous?: ObjectMeta): string[] {
  return finalizers
    .filter((finalizer) => !finalizer.includes('/') && !STANDARD.has(finalizer))
    .filter((finalizer) => !previous?.finalizers?.includes(finalizer))
    .map((finalizer) => {
      const advice =
        'prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers';
      return `metadata.finalizers: ${JSON.stringify(finalizer)}: ${advice}`;
    });
}
