import { load, YAMLException } from 'js-yaml';
import { badRequest, unsupportedMediaType } from '../errors/status.errors.js';
import type { ServedResource } from '../resources/served.resource.js';
import { parseJson } from '../common/exact-json.js';
import { isJsonObject, jsonTypeName } from '../common/json.values.js';
import type { ProtobufDecoder } from '../typed/protobuf.decoder.js';
import type { ApiRequest } from './api.request.js';
import { EXACT_LOAD_SCHEMA } from './exact-yaml.js';
import { countMembers, countParsedMembers, NESTING_LIMIT, repeatedMembers } from './json.text.js';
import { assertModestAliases } from './yaml.aliases.js';

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
}

/** Reads what requests carry. */
export class BodyParser {
  private readonly repeated = new WeakMap<object, readonly string[]>();

  constructor(private readonly protobuf: ProtobufDecoder) {}

  /** The paths of the members that stand more than once in the text of a body or a patch, the last of which was taken. */
  repeatedMembers(value: unknown): readonly string[] | undefined {
    return typeof value === 'object' && value !== null ? this.repeated.get(value) : undefined;
  }

  /**
   * Reads an object.
   *
   * @throws StatusError 400 if the body cannot be read, 415 if its type is unknown
   */
  object({ body, headers }: ApiRequest, served: ServedResource): unknown {
    const type = mediaType(headers['content-type']) || 'application/json';
    if (!OBJECT_TYPES.includes(type)) throw unsupportedMediaType(OBJECT_TYPES);
    try {
      const value = this.read(body, type);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('json: not an object');
      return value;
    } catch (error) {
      const { message } = error as Error;
      const cause = type === 'application/yaml' ? `yaml: ${message}` : `json parse error: ${message}`;
      const problem = `couldn't get version/kind; ${cause} (${excerpt(body)})`;
      throw badRequest(`the object provided is unrecognized (must be of type ${served.resource.kind}): ${problem}`);
    }
  }

  /** Reads options that a request may leave out. @throws StatusError 400 */
  options({ body, headers }: ApiRequest): unknown {
    if (body.length === 0) return undefined;
    try {
      return this.read(body, mediaType(headers['content-type']));
    } catch (error) {
      throw badRequest(`couldn't get version/kind; json parse error: ${(error as Error).message}`);
    }
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
    } catch (error) {
      const problem = error instanceof YAMLException ? error.reason : (error as Error).message;
      throw badRequest(`error decoding YAML: error converting YAML to JSON: yaml: ${problem}`);
    }
    if (isJsonObject(value)) return value;
    const problem = `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type map[string]interface {}`;
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${problem}`);
  }

  /** Reads a patch that is no configuration. @throws StatusError 400, 415 */
  patch({ body, headers }: ApiRequest, served: ServedResource): Patch {
    const accepted = [JSON_PATCH, MERGE_PATCH, ...(served.custom ? [] : [STRATEGIC_PATCH])];
    const type = mediaType(headers['content-type']);
    if (!accepted.includes(type)) throw unsupportedMediaType([...accepted, APPLY_PATCH]);
    try {
      const value: unknown = this.parse(body as string);
      return { type: type === JSON_PATCH ? 'json' : type === MERGE_PATCH ? 'merge' : 'strategic', value };
    } catch (error) {
      throw badRequest(`error decoding patch: ${(error as Error).message}`);
    }
  }

  private read(body: string | Uint8Array, type: string): unknown {
    if (type === PROTOBUF) return this.protobuf.decode(typeof body === 'string' ? Buffer.from(body, 'latin1') : body);
    const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
    return type === 'application/yaml' ? parseYaml(text) : this.parse(text);
  }

  private parse(text: string): unknown {
    const value = parse(text);
    // Parsing does not tell of repeated members, but they are missing in the value.
    if (countMembers(text) !== countParsedMembers(value)) this.repeated.set(value as object, repeatedMembers(text));
    return value;
  }

  /** Most clients send JSON, although they call it YAML. */
  private parseConfiguration(text: string): unknown {
    if (!text.trim()) return undefined;
    if (!/^\s*\{/.test(text)) return parseYaml(text);
    try {
      return this.parse(text);
    } catch {
      return parseYaml(text);
    }
  }
}

/** Matches texts that can be numbers beyond float64. */
const LARGE_NUMBER = /\d(?:[eE]\+?\d{3}|\d{308})/;

function parse(text: string): unknown {
  const value = parseJson(text);
  // JSON.parse makes Infinity of it, which would become null.
  if (LARGE_NUMBER.test(text) && hasInfinity(value)) {
    throw new Error('json: cannot unmarshal number into Go value of type float64');
  }
  return value;
}

function hasInfinity(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === Infinity || value === -Infinity;
  return Object.values(value).some(hasInfinity);
}

/** @throws Error if the text is no YAML, or grows too much by its aliases */
function parseYaml(text: string): unknown {
  const value: unknown = load(text, { schema: EXACT_LOAD_SCHEMA, json: true, maxDepth: NESTING_LIMIT });
  if (text.includes('*')) assertModestAliases(value);
  return value;
}

const EXCERPT = 30;

/** The beginning of a body, as messages show it: in hexadecimal digits, unless it is meant to be an object in JSON. */
function excerpt(body: string | Uint8Array): string {
  if (body.length === 0) return '<empty>';
  const bytes = Buffer.from(body as string);
  const start = bytes.subarray(0, EXCERPT);
  const shown = /^\s*\{/.test(start.toString()) ? start.toString() : start.toString('hex');
  return bytes.length > EXCERPT ? `${shown} ...` : shown;
}

function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';')[0]!.trim().toLowerCase();
}
