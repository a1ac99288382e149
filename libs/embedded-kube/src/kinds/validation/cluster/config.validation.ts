import { jsonEqual } from '../../../common/json.values.js';
import { longField } from '../../../errors/field.error.js';
import type { Draft, KubeObject } from '../../../resources/kube-object.js';
import { type FieldReport, structOf, textOf, type Values } from '../field.report.js';
import { configKey } from '../text.rules.js';

/** The largest content of a config map or a secret, in bytes. */
const CONTENT_LIMIT = 1024 * 1024;
const FROZEN = 'field is immutable when `immutable` is set';
const ACCOUNT = 'kubernetes.io/service-account.name';
/** The keys that the data of a typed secret has to have. */
const REQUIRED_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
};

export function validateConfigMap(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  if (previous) {
    // An empty map counts as none, but not so in binary data, and in secrets.
    const [now, before] = [object, previous].map((each) => ({ ...each, data: structOf(each['data']) ?? {} }));
    validateFrozen(report, now!, before!, ['data', 'binaryData']);
  }
  const [data, binaryData] = [structOf(object['data']) ?? {}, structOf(object['binaryData']) ?? {}];
  for (const key of Object.keys(data)) {
    report.named(`data[${key}]`, key, configKey);
    if (Object.hasOwn(binaryData, key)) report.invalid(`data[${key}]`, key, 'duplicate of key present in binaryData');
  }
  for (const key of Object.keys(binaryData)) report.named(`binaryData[${key}]`, key, configKey);
  const size = sizeOf(data) + decodedSizeOf(binaryData);
  if (size > CONTENT_LIMIT) report.errors.push(longField('[]', CONTENT_LIMIT));
}

export function validateSecret(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  const type = textOf(object['type']);
  if (previous) {
    if (type !== textOf(previous['type'])) report.invalid('type', type, 'field is immutable');
    validateFrozen(report, object, previous, ['data']);
  }
  const data = structOf(object['data']) ?? {};
  for (const key of Object.keys(data)) report.named(`data[${key}]`, key, configKey);
  if (decodedSizeOf(data) > CONTENT_LIMIT) report.errors.push(longField('data', CONTENT_LIMIT));
  if (type === 'kubernetes.io/service-account-token' && !object.metadata.annotations?.[ACCOUNT]) {
    report.required(`metadata.annotations[${ACCOUNT}]`);
  }
  const isBasic = type === 'kubernetes.io/basic-auth';
  if (isBasic && data['username'] === undefined && data['password'] === undefined) {
    for (const key of ['username', 'password']) report.required(`data[${key}]`);
  }
  for (const key of Object.hasOwn(REQUIRED_KEYS, type) ? REQUIRED_KEYS[type]! : []) {
    const isEmptyKey = type === 'kubernetes.io/ssh-auth' && data[key] === '';
    if (data[key] === undefined || isEmptyKey) report.required(`data[${key}]`);
    else if (key.startsWith('.docker')) validateJson(report, `data[${key}]`, textOf(data[key]));
  }
}

function validateJson(report: FieldReport, path: string, encoded: string): void {
  try {
    if (structOf(JSON.parse(Buffer.from(encoded, 'base64').toString()) as unknown)) return;
  } catch {
    // Reported below: the content of secrets is not shown.
  }
  const text = Buffer.from(encoded, 'base64').toString().trim();
  const problem = text
    ? `invalid character '${text[0]}' looking for beginning of value`
    : 'unexpected end of JSON input';
  report.invalid(path, '<secret contents redacted>', problem);
}

function validateFrozen(report: FieldReport, object: Values, previous: Values, fields: readonly string[]): void {
  if (previous['immutable'] !== true) return;
  if (object['immutable'] !== true) report.forbidden('immutable', FROZEN);
  for (const field of fields) {
    const [now, before] = [structOf(object[field]), structOf(previous[field])];
    if (!jsonEqual(now, before)) report.forbidden(field, FROZEN);
  }
}

function sizeOf(data: Values): number {
  return Object.values(data).reduce((sum: number, value) => sum + Buffer.byteLength(textOf(value)), 0);
}

function decodedSizeOf(data: Values): number {
  return Object.values(data).reduce((sum: number, value) => sum + Buffer.byteLength(textOf(value), 'base64'), 0);
}
