import { isMapping } from '../../common/json.values.js';
import { DecodingError, type FieldError, invalidField, requiredField } from '../../errors/field.error.js';
import { decodeMetadata } from '../../machinery/metadata.decoder.js';
import { validateMetadata } from '../../machinery/metadata.validator.js';
import { label, label1035, pathSegment } from '../../resources/name.rules.js';
import type { StructuralSchema } from './structural.schema.js';

/** The fields that every embedded object (`x-kubernetes-embedded-resource`) has, with any schema. */
export type HeadField = 'apiVersion' | 'kind' | 'metadata';

/** Thrown at an embedded object whose kind or metadata cannot be read. */
export class MalformedObjectError extends DecodingError {
  constructor(readonly violation: FieldError) {
    super(`${violation.field}: ${violation.message}`);
  }
}

/**
 * Brings a field of an embedded object that every object has into the form in which it is stored.
 *
 * @param unknown gets the paths of fields that metadata does not have
 * @throws MalformedObjectError if it is of a wrong type
 */
export function decodeHead(field: HeadField, value: unknown, path: string, unknown: string[]): unknown {
  if (field !== 'metadata') {
    if (typeof value === 'string') return value;
    throw new MalformedObjectError(invalidField(path, value, 'must be a string'));
  }
  const fields: string[] = [];
  try {
    const metadata = decodeMetadata(value, true, fields);
    unknown.push(...fields.map((each) => `${path.slice(0, -'metadata'.length)}${each}`));
    return metadata;
  } catch (error) {
    if (!(error instanceof DecodingError)) throw error;
    throw new MalformedObjectError(invalidField(path, value, error.message));
  }
}

/** Checks at every depth that embedded objects have a kind, and valid metadata. */
export function validateEmbeddedObjects(
  value: unknown,
  schema: StructuralSchema | undefined,
  path: string,
): FieldError[] {
  if (!schema) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => validateEmbeddedObjects(item, schema.items, `${path}[${index}]`));
  }
  if (!isMapping(value)) return [];
  const { properties = {}, additionalProperties } = schema;
  const errors = schema['x-kubernetes-embedded-resource'] ? validateHead(value, path) : [];
  for (const [name, member] of Object.entries(value)) {
    if (Object.hasOwn(properties, name)) {
      errors.push(...validateEmbeddedObjects(member, properties[name], join(path, name)));
    } else if (typeof additionalProperties === 'object') {
      errors.push(...validateEmbeddedObjects(member, additionalProperties, `${path}[${name}]`));
    }
  }
  return errors;
}

function validateHead(object: Readonly<Record<string, unknown>>, path: string): FieldError[] {
  const { apiVersion, kind, metadata } = object;
  const missing = ['apiVersion', 'kind'].filter((name) => object[name] === undefined);
  return [
    ...missing.map((name) => requiredField(join(path, name))),
    ...validateText(apiVersion, join(path, 'apiVersion'), versionProblem),
    ...validateText(kind, join(path, 'kind'), kindProblem),
    ...(metadata === undefined ? [] : validateEmbeddedMetadata(metadata, path)),
  ];
}

function validateText(value: unknown, path: string, problemOf: (text: string) => string | undefined): FieldError[] {
  if (value === undefined) return [];
  if (typeof value !== 'string') return [invalidField(path, value, 'must be a string')];
  const problem = value === '' ? 'must not be empty' : problemOf(value);
  return problem === undefined ? [] : [invalidField(path, value, problem)];
}

function versionProblem(version: string): string | undefined {
  return version.split('/').length > 2 ? `unexpected GroupVersion string: ${version}` : undefined;
}

function kindProblem(kind: string): string | undefined {
  const problems = label1035(kind.toLowerCase());
  return problems.length === 0 ? undefined : `may have mixed case, but should otherwise match: ${problems.join(',')}`;
}

/** Checks the metadata of an embedded object, which may have no name. */
function validateEmbeddedMetadata(value: unknown, path: string): FieldError[] {
  const metadata = decodeMetadata(value, true, []);
  const { name = 'unnamed', namespace = '', generation = 0 } = metadata;
  const errors = validateMetadata({ ...metadata, name }, pathSegment);
  const problems = namespace ? label(namespace) : [];
  errors.push(...problems.map((problem) => invalidField('metadata.namespace', namespace, problem)));
  if (generation < 0) {
    errors.push(invalidField('metadata.generation', generation, 'must be greater than or equal to 0'));
  }
  return errors.map((error) => ({ ...error, field: join(path, error.field) }));
}

function join(path: string, name: string): string {
  return path ? `${path}.${name}` : name;
}
