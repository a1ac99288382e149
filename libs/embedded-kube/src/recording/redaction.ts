import { isJsonObject, isMapping, type JsonObject } from '../common/json.values.js';

/** The text in place of one that is not recorded. */
const REDACTED = 'REDACTED';
/** The same text where values are in base64. */
const REDACTED_DATA = Buffer.from(REDACTED).toString('base64');
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** The kinds whose tokens are credentials. */
const TOKEN_KINDS: ReadonlySet<unknown> = new Set(['TokenRequest', 'TokenReview']);

/**
 * Removes the data of Secrets and tokens from a body or a line of a watch, as text; everything else stays as it is.
 *
 * @param path the path of the request, as the items of a list of Secrets have no kind
 * @returns an empty text for what may have secrets and cannot be read
 */
export function redactText(path: string, text: string): string {
  const isSecret = /\/secrets(?:[/?]|$)/.test(path);
  const isToken = /\/(?:token|tokenreviews)(?:\?|$)/.test(path);
  if (!isSecret && !isToken && !/"(?:Secret|SecretList|TokenRequest|TokenReview)"/.test(text)) return text;
  try {
    return JSON.stringify(redact(JSON.parse(text) as unknown, isSecret, isToken));
  } catch {
    return '';
  }
}

function redact(value: unknown, isSecret: boolean, isToken: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => redactItem(item, isSecret, isToken));
  if (!isJsonObject(value)) return value;
  const kind = value['kind'];
  const secret = isSecret || kind === 'Secret' || kind === 'SecretList';
  const token = isToken || TOKEN_KINDS.has(kind);
  const members = Object.entries(value).map(([name, member]) => [name, redactMember(name, member, secret, token)]);
  return Object.fromEntries(members) as JsonObject;
}

function redactMember(name: string, member: unknown, isSecret: boolean, isToken: boolean): unknown {
  if (isSecret && name === 'data' && isMapping(member)) return redactValues(member, REDACTED_DATA);
  if (isSecret && name === 'stringData' && isMapping(member)) return redactValues(member, REDACTED);
  if (isSecret && name === LAST_APPLIED) return REDACTED;
  if (isToken && name === 'token' && typeof member === 'string') return REDACTED;
  return redact(member, isSecret, isToken);
}

/** Treats an item of a list, which is an operation where the list is a JSON patch. */
function redactItem(item: unknown, isSecret: boolean, isToken: boolean): unknown {
  const isOperation = isSecret && isMapping(item) && typeof item['op'] === 'string' && 'value' in item;
  return isOperation ? { ...item, value: REDACTED_DATA } : redact(item, isSecret, isToken);
}

function redactValues(values: Readonly<Record<string, unknown>>, by: string): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === null ? null : by]));
}
