import { invalidField, DecodingError } from '../errors/field.error.js';
import { badRequest, invalid } from '../errors/status.errors.js';
import type { StatusError } from '../errors/status.error.js';
import { stringifyJson } from '../common/exact-json.js';
import type { Draft } from '../resources/kube-object.js';
import { isMapping } from '../common/json.values.js';
import { isBuiltinKind } from '../typed/typed.schema.js';
import { decodeMetadata } from './metadata.decoder.js';
import type { ObjectOrigin } from '../resources/resource.strategy.js';
import { kindName, type ServedResource } from '../resources/served.resource.js';
import type { WriteOptions } from './write.options.js';

/**
 * Brings an object of a request into the form in which it is stored.
 *
 * @throws StatusError 400 or 422 if it is not an object of the resource
 * @throws DecodingError instead if a configuration was applied to an object of a built-in kind: the error names the configuration
 */
export function decodeObject(
  served: ServedResource,
  value: unknown,
  origin: ObjectOrigin,
  options: WriteOptions,
): Draft {
  const unknown: string[] = [];
  const body = isMapping(value) ? value : {};
  checkKind(served, body, origin);
  try {
    const metadata = decodeMetadata(body['metadata'], served.custom, unknown);
    const draft = served.strategy.decode(
      { ...body, apiVersion: served.apiVersion, kind: served.resource.kind, metadata },
      unknown,
      origin,
    );
    reportFields(served, body, origin, unknown, options);
    return draft;
  } catch (error) {
    const isOfConfiguration = origin === 'apply' && !served.custom;
    if (!(error instanceof DecodingError)) throw error;
    const message = served.strategy.describeMismatch?.(body) ?? error.message;
    throw isOfConfiguration ? new DecodingError(message) : decodingFailure(served, body, origin, message);
  }
}

/** Warns of fields that the kind does not have, and of those that stand more than once. @throws DecodingError instead if strictness is asked for */
function reportFields(
  { custom }: ServedResource,
  body: Readonly<Record<string, unknown>>,
  origin: ObjectOrigin,
  unknown: readonly string[],
  { fieldValidation = 'Warn', repeatedFields = [], repeatedKeys = [], warn }: WriteOptions,
): void {
  if (fieldValidation === 'Ignore' || unknown.length + repeatedFields.length + repeatedKeys.length === 0) return;
  const ordered = origin === 'body' && !custom ? inOrderOf(body, unknown) : unknown.toSorted();
  const unknowns = ordered.map((path) => `unknown field ${JSON.stringify(path)}`);
  const repeated = custom ? repeatedFields : repeatedFields.filter((path) => !unknown.includes(path));
  const repetitions = repeated.map((path) => `duplicate field ${JSON.stringify(path)}`);
  const problems = custom ? [...repetitions, ...unknowns] : [...unknowns, ...repetitions];
  if (fieldValidation !== 'Strict') for (const problem of [...repeatedKeys, ...problems]) warn?.(problem);
  else {
    const keys = repeatedKeys.length > 0 ? [['yaml: unmarshal errors:', ...repeatedKeys].join('\n  ')] : [];
    throw new DecodingError(`strict decoding error: ${[...keys, ...problems].join(', ')}`);
  }
}

/** Puts paths in the order in which the body has them. */
function inOrderOf(body: Readonly<Record<string, unknown>>, paths: readonly string[]): readonly string[] {
  if (paths.length < 2) return paths;
  const wanted = new Set(paths);
  const ordered: string[] = [];
  const walk = (value: unknown, path: string): void => {
    if (wanted.has(path)) ordered.push(path);
    else if (Array.isArray(value)) for (const [index, item] of value.entries()) walk(item, `${path}[${index}]`);
    else if (isMapping(value)) {
      for (const [name, member] of Object.entries(value)) walk(member, path ? `${path}.${name}` : name);
    }
  };
  walk(body, '');
  return ordered;
}

function checkKind(served: ServedResource, body: Readonly<Record<string, unknown>>, origin: ObjectOrigin): void {
  const { apiVersion, kind } = body;
  const { group, kind: expected } = served.resource;
  if (!served.custom) return checkBuiltinKind(served, body);
  if (origin === 'body') {
    if (!kind) {
      const text = stringifyJson(body);
      throw badRequest(
        `the object provided is unrecognized (must be of type ${expected}): Object 'Kind' is missing in '${text}' (${text})`,
      );
    }
    if (apiVersion !== served.apiVersion) {
      throw badRequest(
        `the API version in the data (${String(apiVersion ?? '')}) does not match the expected API version (${served.apiVersion})`,
      );
    }
  }
  const name = objectName(body);
  if (kind !== expected) {
    throw invalid({ group, name: String(kind) }, name, [invalidField('kind', kind, `must be ${expected}`)]);
  }
  if (apiVersion !== served.apiVersion) {
    throw invalid(kindName(served), name, [invalidField('apiVersion', apiVersion, `must be ${served.apiVersion}`)]);
  }
}

function checkBuiltinKind(served: ServedResource, body: Readonly<Record<string, unknown>>): void {
  const { apiVersion, kind } = body;
  const expected = served.resource.kind;
  const actual = typeof kind === 'string' && kind ? kind : expected;
  const actualVersion = typeof apiVersion === 'string' && apiVersion ? apiVersion : served.apiVersion;
  if (actual === expected && actualVersion === served.apiVersion) return;
  const version = actualVersion.split('/').at(-1)!;
  if (actualVersion.split('/').length > 2) {
    const shown = (stringifyJson(body) ?? '').slice(0, 30);
    const problem = `unexpected GroupVersion string: ${actualVersion} (${shown} ...)`;
    throw badRequest(`the object provided is unrecognized (must be of type ${expected}): ${problem}`);
  }
  const group = served.resource.group.split('.')[0] || 'core';
  const isKnown = isBuiltinKind(actualVersion, actual);
  if (isKnown && actualVersion !== served.apiVersion) {
    throw badRequest(
      `the API version in the data (${actualVersion}) does not match the expected API version (${served.apiVersion})`,
    );
  }
  const cause = isKnown
    ? `converting (${version}.${actual}) to (${group}.${expected}): unknown conversion`
    : `no kind ${JSON.stringify(actual)} is registered for version ${JSON.stringify(actualVersion)} in scheme "pkg/runtime/scheme.go:111"`;
  throw badRequest(`${actual} in version ${JSON.stringify(version)} cannot be handled as a ${expected}: ${cause}`);
}

function decodingFailure(served: ServedResource, body: object, origin: ObjectOrigin, message: string): StatusError {
  const { kind, version } = served.resource;
  if (origin !== 'body') {
    return invalid({ group: '', name: '' }, '', [invalidField('patch', stringifyJson(body), message)]);
  }
  return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${message}`);
}

function objectName(body: Readonly<Record<string, unknown>>): string {
  const metadata = body['metadata'];
  return isMapping(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : '';
}
