import { badRequest, unsupportedMediaType } from '../errors/status.errors.js';
import type { ServedResource } from '../resources/served.resource.js';
import { parseJson, stringifyJson } from 'kube-common';
import { isJsonObject, jsonTypeName } from '../common/json.values.js';
import type { TypedStruct } from '../typed/typed.schema.js';
import { describeJsonError } from '../common/json.syntax-error.js';
import type { TypedCodec } from '../typed/typed.codec.js';
import type { WriteOptions } from '../machinery/write.options.js';
import type { ApiRequest } from './api.request.js';
import { countMembers, countParsedMembers, repeatedMembers } from './json.text.js';
import { parseWrittenNumbers } from '../common/written.number.js';
import { readYaml } from './yaml.reader.js';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const OBJECT_TYPES = ['application/json', 'application/yaml', PROTOBUF];
const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
const APPLY_PATCH = 'application/apply-patch+yaml';

/** A decoded patch. */
export interface Patch {
  readonly type: 'json' | 'merge' | 'strategic';
  readonly value: unknown;
  /** The members of a JSON patch that have no meaning, or that stand more than once, as warnings. */
  readonly problems?: readonly string[];
}

/** What parsing does not tell: the members that stand more than once, and whole numbers that are written as fractions. */
export type Repetitions = Pick<WriteOptions, 'repeatedFields' | 'fieldOrder' | 'repeatedKeys' | 'writtenNumbers'>;

/** The parser of bodies: objects, patches, applied configurations, and options. */
export class BodyParser {
  private readonly repeated = new WeakMap<object, Repetitions>();

  constructor(private readonly codec: TypedCodec) {}

  /** Returns what the text of a body or a patch has that its value does not show. */
  repetitions(value: unknown): Repetitions {
    return (typeof value === 'object' && value !== null && this.repeated.get(value)) || {};
  }

  /**
   * Reads an object.
   *
   * @throws StatusError 400 if the body cannot be read, 415 if its type is unknown
   */
  object({ body, headers }: ApiRequest, served: ServedResource): unknown {
    const type = objectType(headers['content-type']);
    try {
      const value = this.read(body, type);
      const object = value === null || value === undefined ? {} : withKind(value);
      if (!served.custom || object['kind']) return object;
      throw new Error(`Object 'Kind' is missing in '${Buffer.from(body as string).toString()}'`);
    } catch (error) {
      if (error instanceof NumberError) throw badRequest(`${unhandled(served)}: ${error.message}`);
      const problem = `${(error as Error).message} (${excerpt(body)})`;
      throw badRequest(`the object provided is unrecognized (must be of type ${served.resource.kind}): ${problem}`);
    }
  }

  /** Checks the type of an object's body, which the real server does before it looks at the options of a creation. @throws StatusError 415 */
  assertObjectType({ headers }: ApiRequest): void {
    objectType(headers['content-type']);
  }

  /** Reads the options of a deletion, which a request may leave out. @throws StatusError 400, 415 */
  options({ body, headers }: ApiRequest): unknown {
    if (body.length === 0) return undefined;
    const type = objectType(headers['content-type']);
    try {
      const options = withKind(this.read(body, type) ?? {});
      const problem = this.unknownKind(options) ?? this.codec.describeMismatch(options, this.deleteOptions);
      if (problem === undefined) return options;
      throw new Error(problem);
    } catch (error) {
      throw badRequest((error as Error).message);
    }
  }

  private unknownKind({ kind, apiVersion }: Readonly<Record<string, unknown>>): string | undefined {
    if (!kind || kind === this.deleteOptions.name) return undefined;
    const [shown, version] = [kind, apiVersion || 'meta.k8s.io/v1'].map((each) => JSON.stringify(each));
    return `no kind ${shown} is registered for version ${version} in scheme "pkg/runtime/scheme.go:111"`;
  }

  private get deleteOptions(): TypedStruct {
    return this.codec.schema.find('meta.v1.DeleteOptions')!;
  }

  /** Checks whether a request carries a configuration that is to be applied. */
  isConfiguration({ headers }: ApiRequest): boolean {
    return mediaType(headers['content-type']) === APPLY_PATCH;
  }

  /** Reads a configuration. @throws StatusError 400 */
  configuration({ body }: ApiRequest): unknown {
    const text = body as string;
    let value: unknown;
    try {
      value = this.parseConfiguration(text) ?? {};
      // Also in JSON, the real server names them as those of YAML.
      if (this.repetitions(value).repeatedFields) value = this.parseYaml(text);
    } catch (error) {
      throw badRequest(`error decoding YAML: error converting YAML to JSON: ${(error as Error).message}`);
    }
    if (isJsonObject(value)) return value;
    const problem = `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type map[string]interface {}`;
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${problem}`);
  }

  /** Reads a patch that is no configuration. @throws StatusError 400, 415 */
  patch({ body, headers }: ApiRequest, served: ServedResource): Patch {
    const type = this.assertPatchType({ headers }, served);
    try {
      const value: unknown = this.parse(body as string);
      if (type !== JSON_PATCH) return { type: type === MERGE_PATCH ? 'merge' : 'strategic', value };
      return { type: 'json', value, problems: patchProblems(value, this.repetitions(value).repeatedFields) };
    } catch (error) {
      const prefix = type === STRATEGIC_PATCH ? '' : 'error decoding patch: ';
      throw badRequest(`${prefix}${(error as Error).message}`);
    }
  }

  /** Checks the type of a patch, which the real server does before anything else. @returns the type @throws StatusError 415 */
  assertPatchType({ headers }: Pick<ApiRequest, 'headers'>, served: ServedResource): string {
    const accepted = [JSON_PATCH, MERGE_PATCH, ...(served.custom ? [] : [STRATEGIC_PATCH])];
    const type = mediaType(headers['content-type']);
    if (!accepted.includes(type)) throw unsupportedMediaType([...accepted, APPLY_PATCH]);
    return type;
  }

  private read(body: string | Uint8Array, type: string): unknown {
    if (type === PROTOBUF)
      return this.codec.protobuf.decode(typeof body === 'string' ? Buffer.from(body, 'latin1') : body);
    const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
    if (type === 'application/yaml') return this.parseYaml(text);
    try {
      return this.parse(text);
    } catch (error) {
      if (error instanceof NumberError) throw error;
      throw new Error(`${NO_KIND}${(error as Error).message}`, { cause: error });
    }
  }

  private parse(text: string): unknown {
    const value = parse(text);
    const writtenNumbers = parseWrittenNumbers(text);
    if (isJsonObject(value) && writtenNumbers !== undefined) this.repeated.set(value, { writtenNumbers });
    // Parsing does not report repeated members, but they are missing in the value.
    if (countMembers(text) !== countParsedMembers(value)) {
      const { repeated, order } = repeatedMembers(text);
      this.repeated.set(value as object, {
        ...this.repetitions(value),
        repeatedFields: repeated,
        fieldOrder: order,
      });
    }
    return value;
  }

  /** Parses a configuration. Most clients send JSON, although they call it YAML. */
  private parseConfiguration(text: string): unknown {
    if (!/^\s*\{/.test(text)) return this.parseYaml(text);
    try {
      return this.parse(text);
    } catch {
      return this.parseYaml(text);
    }
  }

  private parseYaml(text: string): unknown {
    const { value, repeated } = readYaml(text);
    if (repeated.length > 0) this.repeated.set(value as object, { repeatedKeys: repeated });
    return value;
  }
}

const NO_KIND = "couldn't get version/kind; json parse error: ";
/** The structure into which the real server reads the kind of an object, as its language prints it. */
const KIND_STRUCTURE =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/**
 * Finds the kind of an object as the real server does: also below names in other cases, the last one of which counts.
 *
 * @throws Error if it is no object, or its kind is no text
 */
function withKind(value: unknown): Readonly<Record<string, unknown>> {
  if (!isJsonObject(value)) {
    throw new Error(`${NO_KIND}json: cannot unmarshal ${jsonTypeName(value)} into Go value of type ${KIND_STRUCTURE}`);
  }
  let result: Readonly<Record<string, unknown>> = value;
  for (const name of Object.keys(value)) {
    const field = name.length === 4 || name.length === 10 ? KIND_FIELDS.get(name.toLowerCase()) : undefined;
    const member = field && value[name];
    if (field === undefined || member === null) continue;
    if (typeof member !== 'string') {
      const type = jsonTypeName(member);
      throw new Error(`${NO_KIND}json: cannot unmarshal ${type} into Go struct field .${field} of type string`);
    }
    if (name !== field) result = { ...result, [field]: member };
  }
  return result;
}

const KIND_FIELDS = new Map(['kind', 'apiVersion'].map((name) => [name.toLowerCase(), name]));

/** The error for a number beyond float64. */
class NumberError extends Error {}

/** Returns the first number beyond float64 in a text of JSON. */
function largeNumber(text: string): string {
  const numbers = text.match(/-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g) ?? [];
  return numbers.find((each) => !Number.isFinite(Number(each))) ?? '';
}

function unhandled({ resource: { kind, version } }: ServedResource): string {
  return `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}`;
}

/** The form of texts that can be numbers beyond float64. */
const LARGE_NUMBER = /\d(?:[eE]\+?\d{3}|\d{308})/;

/** The form of halves of pairs, which stand for no character alone. */
const SURROGATE = /\\u[dD][89a-fA-F]/;

function parse(text: string): unknown {
  const value = parseText(text);
  // JSON.parse makes Infinity of it, which would become null.
  if (LARGE_NUMBER.test(text) && hasInfinity(value)) {
    throw new NumberError(`json: cannot unmarshal number ${largeNumber(text)} into Go value of type float64`);
  }
  return value;
}

/** @throws Error in the words of the real server */
function parseText(text: string): unknown {
  try {
    const value = parseJson(text);
    return SURROGATE.test(text) ? parseJson(stringifyJson(value).replace(ESCAPED_HALF, '\\ufffd')) : value;
  } catch (error) {
    throw new Error(describeJsonError(text) ?? (error as Error).message, { cause: error });
  }
}

/** The form of escaped halves of pairs; JavaScript writes whole pairs as they are. */
const ESCAPED_HALF = /(?<=(?:^|[^\\])(?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

function hasInfinity(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === Infinity || value === -Infinity;
  return Object.values(value).some(hasInfinity);
}

const EXCERPT = 30;

/** Returns the beginning of a body, as messages show it: in hexadecimal digits, unless it is meant to be an object in JSON. */
function excerpt(body: string | Uint8Array): string {
  if (body.length === 0) return '<empty>';
  const bytes = Buffer.from(body as string);
  const start = bytes.subarray(0, EXCERPT);
  const shown = /^\s*\{/.test(start.toString()) ? start.toString() : start.toString('hex');
  return bytes.length > EXCERPT ? `${shown} ...` : shown;
}

const OPERATION_FIELDS = new Set(['op', 'path', 'from', 'value']);

function patchProblems(operations: unknown, repeated: readonly string[] = []): readonly string[] {
  const items = Array.isArray(operations) ? operations : [];
  const problems = repeated
    .filter((path) => /^\[\d+\]\.[^.[]+$/.test(path))
    .map((path) => `json patch duplicate field ${JSON.stringify(path)}`);
  for (const [index, operation] of items.entries()) {
    for (const name of Object.keys(isJsonObject(operation) ? operation : {})) {
      if (OPERATION_FIELDS.has(name)) continue;
      problems.push(`json patch unknown field ${JSON.stringify(`[${index}].${name}`)}`);
    }
  }
  return problems;
}

function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';')[0]!.trim().toLowerCase();
}

/** The form of a media type with its parameters. */
const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~/-]+\s*(;\s*[\w!#$%&'*+.^`|~-]+=("[^"]*"|[\w!#$%&'*+.^`|~-]+)\s*)*;?\s*$/;

/** Returns the type of a body that is an object. @throws StatusError 415 */
function objectType(contentType: string | undefined): string {
  if (!contentType || contentType === 'application/json') return 'application/json';
  const type = mediaType(contentType);
  if (OBJECT_TYPES.includes(type) && MEDIA_TYPE.test(contentType)) return type;
  throw unsupportedMediaType(OBJECT_TYPES);
}
