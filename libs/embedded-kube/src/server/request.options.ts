import { badRequest, invalid } from '../errors/status.errors.js';
import {
  forbiddenField,
  invalidField,
  longField,
  requiredField,
  unsupportedField,
  type FieldError,
} from '../errors/field.error.js';
import type { FeatureGates } from '../common/feature.gates.js';
import type { ListOptions } from '../machinery/object.lister.js';
import { isMapping, mapping } from '../common/json.values.js';
import { queryFlag } from './request.info.js';
import { requestTimeout } from './request.timeout.js';
import { type DeleteRequest, MANAGER_LIMIT, type WriteOptions } from '../machinery/write.options.js';

/** The sender of a request, which also receives the warnings for it. */
export type Client = Pick<WriteOptions, 'user' | 'warn' | 'userAgent' | 'cause'>;

const NO_QUERY = new URLSearchParams();
const POLICIES = ['Orphan', 'Background', 'Foreground'] as const;
const VALIDATIONS = ['Ignore', 'Warn', 'Strict'] as const;

/** Returns the options of a patch; those of an application have to name their manager. @throws StatusError 422 */
export function patchOptions(query: URLSearchParams, isApplication: boolean, client: Client): WriteOptions {
  const errors: FieldError[] = [];
  const force = queryFlag(query, 'force');
  if (isApplication && !query.get('fieldManager')) {
    errors.push(requiredField('fieldManager', 'is required for apply patch'));
  }
  if (!isApplication && force !== undefined) {
    errors.push(forbiddenField('force', 'may not be specified for non-apply patch'));
  }
  return { ...writeOptions(query, 'PatchOptions', client, errors), ...(force !== undefined && { force }) };
}

/** @param errors the violations that are known already. @throws StatusError 422 */
export function writeOptions(
  query: URLSearchParams,
  kind: string,
  client: Client,
  errors: FieldError[] = [],
): WriteOptions {
  const fieldValidation = query.get('fieldValidation');
  const fieldManager = query.get('fieldManager');
  if (fieldManager) errors.push(...validateManager(fieldManager));
  if (fieldValidation && !VALIDATIONS.includes(fieldValidation as 'Warn')) {
    errors.push(unsupportedField('fieldValidation', fieldValidation, ['', ...VALIDATIONS].sort()));
  }
  const dryRun = parseDryRun(query.getAll('dryRun'), errors);
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', name: kind }, '', errors);
  return {
    ...client,
    ...timeoutOf(query),
    dryRun,
    ...(fieldManager && { fieldManager }),
    ...(fieldValidation && { fieldValidation: fieldValidation as 'Warn' }),
  };
}

/** @param watch whether a watch is asked for. @throws StatusError 400, 422 */
export function listOptions(query: URLSearchParams, gates: FeatureGates, watch = false): ListOptions {
  const text = (name: string): string => query.get(name) ?? '';
  const options: ListOptions = {
    labelSelector: text('labelSelector'),
    fieldSelector: text('fieldSelector'),
    shardSelector: gates.isEnabled('ShardedListAndWatch') ? text('shardSelector') : '',
    limit: parseInteger(text('limit')),
    continue: text('continue'),
    resourceVersion: text('resourceVersion'),
    resourceVersionMatch: text('resourceVersionMatch'),
    watch,
    allowWatchBookmarks: queryFlag(query, 'allowWatchBookmarks') ?? false,
    sendInitialEvents: queryFlag(query, 'sendInitialEvents'),
    timeoutSeconds: query.has('timeoutSeconds') ? parseInteger(text('timeoutSeconds')) : undefined,
  };
  const errors = options.watch ? checkWatch(options) : checkList(options);
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', name: 'ListOptions' }, '', errors);
  return options;
}

/** Takes the options of a deletion from its body, or else from its query. @throws StatusError 400, 422 */
export function deleteRequest(given: URLSearchParams, value: unknown, client: Client): DeleteRequest {
  const body = mapping(value);
  // Who sends options in a body is not asked about the query.
  const query = value === undefined ? given : NO_QUERY;
  const errors: FieldError[] = [];
  const grace = body['gracePeriodSeconds'] ?? (query.get('gracePeriodSeconds') || undefined);
  const orphan = body['orphanDependents'] ?? queryFlag(query, 'orphanDependents');
  const policy =
    body['propagationPolicy'] ??
    (query.get('propagationPolicy') || undefined) ??
    (orphan === undefined ? undefined : orphan === true ? 'Orphan' : 'Background');
  if (orphan !== undefined && (body['propagationPolicy'] ?? query.get('propagationPolicy'))) {
    const detail = 'orphanDependents and deletionPropagation cannot be both set';
    errors.push(invalidField('propagationPolicy', policy, detail));
  }
  if (policy !== undefined && !POLICIES.includes(policy as 'Orphan')) {
    errors.push(unsupportedField('propagationPolicy', policy, ['Foreground', 'Background', 'Orphan', 'nil']));
  }
  const listed = Array.isArray(body['dryRun']) ? body['dryRun'].map(String) : [];
  const dryRun = parseDryRun([...query.getAll('dryRun'), ...listed], errors);
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', name: 'DeleteOptions' }, '', errors);
  const preconditions = value === undefined ? preconditionsOf(given) : body['preconditions'];
  const { uid, resourceVersion } = mapping(preconditions);
  return {
    ...client,
    ...timeoutOf(query),
    dryRun,
    ...(orphan !== undefined && { orphanDependents: orphan === true }),
    ...(grace !== undefined && { gracePeriodSeconds: parseInteger(String(grace)) }),
    ...(policy !== undefined && { propagationPolicy: policy as 'Orphan' }),
    ...(isMapping(preconditions) && {
      preconditions: {
        ...(typeof uid === 'string' && { uid }),
        ...(typeof resourceVersion === 'string' && { resourceVersion }),
      },
    }),
  };
}

/** Returns the preconditions of a query; those for a collection apply to each object in it. */
function preconditionsOf(query: URLSearchParams): object | undefined {
  const [uid, resourceVersion] = [query.get('uid'), query.get('resourceVersion')];
  return uid || resourceVersion ? { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) } : undefined;
}

function checkWatch({ sendInitialEvents, resourceVersionMatch: match, continue: token }: ListOptions): FieldError[] {
  const field = 'resourceVersionMatch';
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(forbiddenField(field, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (sendInitialEvents === undefined && match) {
    const detail = 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
    errors.push(forbiddenField(field, detail));
  }
  if (match && match !== 'NotOlderThan') errors.push(unsupportedField(field, match, ['NotOlderThan']));
  if (token) errors.push(forbiddenField(field, 'resourceVersionMatch is forbidden when continue is provided'));
  return errors;
}

function checkList({
  resourceVersion,
  resourceVersionMatch,
  continue: token,
  sendInitialEvents,
}: ListOptions): FieldError[] {
  const field = 'resourceVersionMatch';
  if (sendInitialEvents !== undefined) {
    return [forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list')];
  }
  if (!resourceVersionMatch) return [];
  const errors: FieldError[] = [];
  if (!resourceVersion) {
    errors.push(forbiddenField(field, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
  }
  if (token) errors.push(forbiddenField(field, 'resourceVersionMatch is forbidden when continue is provided'));
  if (errors.length > 0) return errors;
  if (resourceVersionMatch !== 'Exact' && resourceVersionMatch !== 'NotOlderThan') {
    return [unsupportedField(field, resourceVersionMatch, ['Exact', 'NotOlderThan', ''])];
  }
  if (resourceVersionMatch === 'Exact' && resourceVersion === '0') {
    return [forbiddenField(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')];
  }
  return [];
}

function validateManager(name: string): FieldError[] {
  const errors: FieldError[] = [];
  const field = 'fieldManager';
  if (Buffer.byteLength(name) > MANAGER_LIMIT) errors.push(longField(field, MANAGER_LIMIT));
  for (const [position, character] of [...name].entries()) {
    if (!/\p{C}/u.test(character)) continue;
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    errors.push(invalidField(field, name, `invalid character U+${code} (at position ${position})`));
  }
  return errors;
}

function parseDryRun(values: readonly string[], errors: FieldError[]): boolean {
  if (values.some((value) => value !== 'All')) errors.push(unsupportedField('dryRun', values, ['All']));
  return values.length > 0;
}

function parseInteger(text: string): number {
  if (text === '') return 0;
  if (/^[-+]?\d+$/.test(text)) {
    const value = Number(text);
    if (Math.abs(value) < 2 ** 63) return value;
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  }
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

function timeoutOf(query: URLSearchParams): { timeout?: number } {
  const timeout = requestTimeout(query) ?? 0;
  return timeout > 0 ? { timeout } : {};
}
