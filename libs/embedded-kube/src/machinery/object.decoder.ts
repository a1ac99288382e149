import { invalidField, DecodingError } from '../errors/field.error.js';
import { badRequest, invalid } from '../errors/status.errors.js';
import type { StatusError } from '../errors/status.error.js';
import { parseJson, stringifyJson } from 'kube-common';
import type { Draft } from '../resources/kube-object.js';
import { isMapping, jsonTypeName, sortedJson } from '../common/json.values.js';
import { describeValue } from '../patching/strategic.list.js';
import { isBuiltinKind, kindOf } from '../typed/typed.schema.js';
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
  if (options.strategicPatch === undefined) checkKind(served, body, origin);
  else assertKindConverts(served, body, options.strategicPatch);
  try {
    const { writtenNumbers, strategicPatch } = options;
    const isRead = writtenNumbers !== undefined && strategicPatch === undefined;
    const misread = !isRead ? undefined : served.strategy.describeMismatch?.(writtenNumbers);
    if (misread !== undefined) throw decodingFailure(served, body, origin, misread);
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
    if (origin === 'patch' && !served.custom) throw patchFailure(served, body, error.message, options.strategicPatch);
    if (isOfConfiguration) throw new DecodingError(served.strategy.describeConversion?.(body) ?? error.message);
    const message = served.strategy.describeMismatch?.(body) ?? error.message;
    throw decodingFailure(served, body, origin, message);
  }
}

/** Warns of fields that the kind does not have, and of those that stand more than once. @throws DecodingError instead if strictness is asked for */
function reportFields(
  { custom }: ServedResource,
  body: Readonly<Record<string, unknown>>,
  origin: ObjectOrigin,
  unknown: readonly string[],
  options: WriteOptions,
): void {
  const { fieldValidation = 'Warn', repeatedFields = [], repeatedKeys = [], patchProblems = [], warn } = options;
  if (
    fieldValidation === 'Ignore' ||
    unknown.length + repeatedFields.length + repeatedKeys.length + patchProblems.length === 0
  )
    return;
  const isOrdered = origin === 'body' && !custom;
  // The keys of a patch are counted where nothing is known of fields.
  const absent = new Set(custom || origin === 'patch' ? [] : unknown);
  const problems: FieldProblem[] = [
    ...repeatedFields.filter((path) => !absent.has(path)).map((path) => ({ what: 'duplicate', path })),
    ...(isOrdered ? unknown : unknown.toSorted()).map((path) => ({ what: 'unknown', path })),
  ];
  if (isOrdered && problems.length > 1) sortByPlace(problems, options.fieldOrder ?? memberPaths(body));
  const found = [...patchProblems, ...problems.map(({ what, path }) => `${what} field ${JSON.stringify(path)}`)];
  if (fieldValidation !== 'Strict') for (const problem of [...repeatedKeys, ...found]) warn?.(problem);
  else {
    const keys = repeatedKeys.length > 0 ? [['yaml: unmarshal errors:', ...repeatedKeys].join('\n  ')] : [];
    throw new DecodingError(`strict decoding error: ${[...keys, ...found].join(', ')}`);
  }
}

/** A field of a body that its kind does not have, or that stands more than once. */
interface FieldProblem {
  readonly what: string;
  readonly path: string;
}

/** Puts the problems in the order in which their fields stand. */
function sortByPlace(problems: FieldProblem[], order: readonly string[]): void {
  const places = new Map(order.map((path, place) => [path, place]));
  const placeOf = ({ path }: FieldProblem): number => places.get(path) ?? order.length;
  problems.sort((left, right) => placeOf(left) - placeOf(right));
}

/** Returns the paths of all members of a body, as the real server names them, in their order. */
function memberPaths(body: unknown): readonly string[] {
  const paths: string[] = [];
  const walk = (value: unknown, path: string): void => {
    if (path) paths.push(path);
    if (Array.isArray(value)) for (const [index, item] of value.entries()) walk(item, `${path}[${index}]`);
    else if (isMapping(value)) {
      for (const [name, member] of Object.entries(value)) walk(member, path ? `${path}.${name}` : name);
    }
  };
  walk(body, '');
  return paths;
}

/** @throws StatusError 422 if the kind in a strategic merge patch is no text; any text is accepted */
function assertKindConverts(
  served: ServedResource,
  { apiVersion, kind }: Readonly<Record<string, unknown>>,
  patch: unknown,
): void {
  if ([apiVersion, kind].every((each) => each === undefined || typeof each === 'string')) return;
  const wrong = typeof kind === 'string' || kind === undefined ? apiVersion : kind;
  const problem = typeof wrong === 'number' ? 'cannot convert int64 to string' : 'unrecognized type: string';
  throw patchFailure(served, {}, problem, patch, true);
}

function checkKind(served: ServedResource, body: Readonly<Record<string, unknown>>, origin: ObjectOrigin): void {
  const { apiVersion, kind } = body;
  const { group, kind: expected } = served.resource;
  if (!served.custom) return checkBuiltinKind(served, body, origin);
  if (origin === 'body') {
    if (typeof apiVersion === 'string' && apiVersion.split('/').length > 2)
      throw unrecognized(body, apiVersion, expected);
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

function checkBuiltinKind(served: ServedResource, body: Readonly<Record<string, unknown>>, origin: ObjectOrigin): void {
  const { apiVersion, kind } = body;
  const expected = served.resource.kind;
  if (origin === 'patch') assertKindText(served, body);
  const actual = typeof kind === 'string' && kind ? kind : expected;
  const actualVersion = typeof apiVersion === 'string' && apiVersion ? apiVersion : served.apiVersion;
  if (actual === expected && actualVersion === served.apiVersion) return;
  const version = actualVersion.split('/').at(-1)!;
  const isPatch = origin === 'patch';
  if (actualVersion.split('/').length > 2) {
    if (isPatch) throw patchFailure(served, body, `unexpected GroupVersion string: ${actualVersion}`, undefined, true);
    throw unrecognized(body, actualVersion, expected);
  }
  const group = served.resource.group.split('.')[0] || 'core';
  const isKnown = isBuiltinKind(actualVersion, actual);
  if (isKnown && actual === expected) {
    throw badRequest(
      `the API version in the data (${actualVersion}) does not match the expected API version (${served.apiVersion})`,
    );
  }
  const cause = isKnown
    ? (served.strategy.describeMismatch?.(isPatch ? asRead(body) : body, kindOf(actualVersion, actual)) ??
      `converting (${version}.${actual}) to (${group}.${expected}): unknown conversion`)
    : `no kind ${JSON.stringify(actual)} is registered for version ${JSON.stringify(actualVersion)} in scheme "pkg/runtime/scheme.go:111"`;
  if (isPatch) throw patchFailure(served, body, cause, undefined, true);
  throw badRequest(`${actual} in version ${JSON.stringify(version)} cannot be handled as a ${expected}: ${cause}`);
}

/** Returns the error for a body whose version is none. */
function unrecognized(body: object, apiVersion: string, expected: string): StatusError {
  const shown = (stringifyJson(body) ?? '').slice(0, 30);
  const problem = `unexpected GroupVersion string: ${apiVersion} (${shown} ...)`;
  return badRequest(`the object provided is unrecognized (must be of type ${expected}): ${problem}`);
}

/** @throws StatusError 422 if a patch has made something else than texts of the kind and its version */
function assertKindText(served: ServedResource, body: Readonly<Record<string, unknown>>): void {
  for (const field of ['apiVersion', 'kind']) {
    const value = body[field];
    if (value === undefined || value === null || typeof value === 'string') continue;
    const problem = `json: cannot unmarshal ${jsonTypeName(value)} into Go struct field .${field} of type string`;
    throw patchFailure(served, body, `couldn't get version/kind; json parse error: ${problem}`, undefined, true);
  }
}

function decodingFailure(served: ServedResource, body: object, origin: ObjectOrigin, message: string): StatusError {
  const { kind, version } = served.resource;
  if (origin !== 'body') {
    return invalid({ group: '', name: '' }, '', [invalidField('patch', stringifyJson(body), message)]);
  }
  return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${message}`);
}

/** Returns the error for a patch of a built-in kind; it shows a strategic merge patch, and what any other patch has made of the object. */
function patchFailure(
  { strategy }: ServedResource,
  body: Readonly<Record<string, unknown>>,
  message: string,
  strategicPatch: unknown,
  isFinal = message.startsWith('strict'),
): StatusError {
  if (strategicPatch !== undefined) {
    const problem = isFinal ? message : (strategy.describeConversion?.(body) ?? message);
    return invalid({ group: '', name: '' }, '', [
      invalidField('patch', describeValue(shownPatch(strategicPatch)), problem),
    ]);
  }
  const problem = isFinal ? message : (strategy.describeMismatch?.(asRead(body)) ?? message);
  return invalid({ group: '', name: '' }, '', [invalidField('patch', sortedJson(body), problem)]);
}

/** Returns a patched object as the real server reads it: the members in alphabetical order. */
function asRead(body: object): unknown {
  return parseJson(sortedJson(body));
}

/** Returns a strategic merge patch as it is shown: the real server has taken directives and nulls out of it before. */
function shownPatch(patch: unknown): unknown {
  if (Array.isArray(patch)) return patch.map(shownPatch);
  if (!isMapping(patch)) return patch;
  const members = Object.entries(patch).filter(([name, value]) => value !== null && !name.startsWith('$'));
  return Object.fromEntries(members.map(([name, value]) => [name, shownPatch(value)]));
}

function objectName(body: Readonly<Record<string, unknown>>): string {
  const metadata = body['metadata'];
  return isMapping(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : '';
}
