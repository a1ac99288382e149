// The one place that says what may differ between two servers that behave the same.
import { sortedJson } from '../../../libs/embedded-kube/src/common/json.values.js';

/** An answer as it is compared. */
export interface Answer {
  readonly code: number;
  readonly type?: string;
  readonly warnings?: string;
  readonly body?: unknown;
}

const UID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)/g;
/** Fields whose values every server chooses itself. */
const CHOSEN: Readonly<Record<string, string>> = {
  resourceVersion: '<version>',
  continue: '<token>',
  clusterIP: '<address>',
  nodePort: '<port>',
  healthCheckNodePort: '<port>',
  age: '<age>',
};
/** The ranges of addresses that the two servers give to services. */
const ADDRESS = /^10\.(0\.0|96\.\d+)\.\d+$/;
const SHOWN_ADDRESS = /\b10\.(0\.0|96\.\d+)\.\d+\b/g;
/** The volumes in which pods find the tokens of their accounts. */
const TOKEN_VOLUME = /\bkube-api-access-[a-z0-9]{5}\b/g;
/** Go shows what changed of an object in a form of its own, to the end of the message. */
const SHOWN_CHANGE =
  /(may not change fields other than|spec is immutable after creation(?: except)?)([^\n]*?)\]?(\n[^]*)?$/;
/** So is what changed of a volume, which hides other errors. */
const SHOWN_VOLUME_CHANGE = /(spec\.persistentvolumesource is immutable after creation)[^]*$/;
/** Go shows structures under the names that their fields have inside the server. */
const SHOWN_STRUCTURE = /(Invalid|Duplicate|Unsupported) value: \{.*?\}(?=: [a-z`'"]|, [a-z]|\]?$)/gs;
/** A patched object holds the owners of fields, and its fields are in another order. */
const SHOWN_OBJECT = /(^|patch: )Invalid value: "\{[^]*\}": /g;
/** So is what changed of a claim, which hides other errors. */
const SHOWN_CLAIM_CHANGE =
  /(spec is immutable after creation except resources\.requests[^:,\n]*?for bound claims)[^]*$/;
const CURRENT_VERSION = /^(Timeout: Too large resource version: \d+, current: )\d+/;
/** Errors of configurations that do not fit their type: Go looks at the members of a map in random order, up to the first undeclared one. */
const TYPE_ERRORS = /^(failed to create typed patch object \([^)]*\): )((?:errors:\n)?[^]*)$/;
/**
 * Go looks at the members of a map in random order: `data[a]` before or after `data[b]`. Custom objects are maps as a whole, so that all of
 * their fields come in random order.
 */
const NEXT_ERROR =
  /, (?=[\w.<>[\]/-]+: (?:(?:Invalid|Required|Unsupported|Duplicate) value|Forbidden|Too long|Too many|Not found|Internal error))/;
const MAP_MEMBER = /^([\w.[\]]+)\[[^\d\]][^\]]*\]: /;
/** The groups of custom resources have a dot, and are none of Kubernetes' own: `Widget.example.com "a" is invalid: […]`. */
const CUSTOM_RESOURCE = /^\w+\.(?=[\w-]+\.)(?![\w.-]*\.k8s\.io )[\w.-]+ "/;
/** Tables show for how long objects have been there: a second passes between the answers of two servers. */
const SHOWN_AGE = /^\d{1,3}s$/;
/** Objects in YAML are texts: what every server chooses itself is taken out of their lines. */
const YAML_VERSION = /^( *(?:- )?resourceVersion: )"\d+"$/gm;
const YAML_OWNERS = /^( *)managedFields:\n(?:\1[- ].*\n)*/gm;
/**
 * Go lists causes in random order; owners of fields are ordered by the seconds of their writes. They are sorted by texts whose members are
 * in alphabetical order, as two servers can write the members of equal items in different orders.
 */
const UNORDERED = new Set(['causes', 'managedFields']);

/** Takes out of an answer what every server chooses itself: identities, times, versions, addresses, generated names. */
export function normalise(answer: Answer): Answer {
  return {
    code: answer.code,
    ...(answer.type && { type: answer.type.replace(/\s/g, '') }),
    ...(answer.warnings && { warnings: normaliseText(answer.warnings) }),
    body: normaliseValue(answer.body, generatedNames(answer.body)),
  };
}

type Names = ReadonlyMap<string, string>;

/** The names that servers made of prefixes, with those that stand for them. */
function generatedNames(body: unknown, names = new Map<string, string>()): Names {
  if (typeof body !== 'object' || body === null) return names;
  const { metadata } = body as { metadata?: { name?: unknown; generateName?: unknown } };
  const { name, generateName } = metadata ?? {};
  if (typeof name === 'string' && typeof generateName === 'string' && name.startsWith(generateName)) {
    if (name.length === generateName.length + 5) names.set(name, `${generateName}<name>`);
  }
  for (const value of Object.values(body)) generatedNames(value, names);
  return names;
}

function normaliseText(text: string): string {
  return text
    .replace(UID, '<uid>')
    .replace(TIME, '<time>')
    .replace(CURRENT_VERSION, '$1<version>')
    .replace(TYPE_ERRORS, (_, head: string, list: string) => `${head}${typeErrors(list)}`)
    .replace(YAML_VERSION, '$1<version>')
    .replace(YAML_OWNERS, '')
    .replace(SHOWN_ADDRESS, '<address>')
    .replace(TOKEN_VOLUME, 'kube-api-access-<name>')
    .replace(SHOWN_OBJECT, '$1Invalid value: <object>: ')
    .replace(SHOWN_STRUCTURE, '$1 value: <structure>')
    .replace(SHOWN_CLAIM_CHANGE, '$1')
    .replace(SHOWN_VOLUME_CHANGE, '$1')
    .replace(SHOWN_CHANGE, '$1$2')
    .replace(/^.* is invalid: \[.*\]$/s, sortErrors);
}

/** Sorts the errors of custom objects, and of others those that stand next to each other and are about members of one map. */
function sortErrors(message: string): string {
  const [, head, list] = /^(.* is invalid: \[)(.*)\]$/s.exec(message) ?? [];
  if (!head || !list) return message;
  const errors = list.split(NEXT_ERROR);
  if (CUSTOM_RESOURCE.test(head)) return `${head}${errors.sort().join(', ')}]`;
  const maps = errors.map((error) => MAP_MEMBER.exec(error)?.[1]);
  for (let start = 0; start < errors.length;) {
    let end = start + 1;
    while (maps[start] !== undefined && maps[end] === maps[start]) end++;
    errors.splice(start, end - start, ...errors.slice(start, end).sort());
    start = end;
  }
  return `${head}${errors.join(', ')}]`;
}

function typeErrors(list: string): string {
  const lines = list
    .replace(/^errors:\n/, '')
    .split('\n')
    .map((line) => line.trim())
    .sort();
  const undeclared = lines.filter((line) => line.endsWith('field not declared in schema'));
  return (undeclared.length > 0 ? undeclared.slice(0, 1) : lines).join('; ');
}

function normaliseValue(value: unknown, names: Names, key = ''): unknown {
  if (typeof value === 'string') return names.get(value) ?? normaliseText(value);
  if (Array.isArray(value)) {
    const items = value.map((each) => normaliseValue(each, names));
    return UNORDERED.has(key) ? items.sort((left, right) => (sortedJson(left) < sortedJson(right) ? -1 : 1)) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, normaliseField(name, each, names)]));
}

function normaliseField(name: string, value: unknown, names: Names): unknown {
  if (name in CHOSEN && (typeof value === 'number' || typeof value === 'string')) {
    if (name === 'clusterIP' && !ADDRESS.test(String(value))) return value;
    if (name === 'nodePort' && !(Number(value) >= 30_000)) return value;
    return value === '' || value === 0 ? value : CHOSEN[name];
  }
  if (name === 'clusterIPs' && Array.isArray(value)) {
    return value.map((each: unknown) => (ADDRESS.test(String(each)) ? '<address>' : each));
  }
  if (name === 'cells' && Array.isArray(value)) {
    return value.map((each: unknown) =>
      typeof each === 'string' && SHOWN_AGE.test(each) ? '<age>' : normaliseValue(each, names),
    );
  }
  return normaliseValue(value, names, name);
}
