import { stringifyJson } from 'kube-common';
import { isMapping, mapping } from '../../common/json.values.js';
import { ProtobufWriter } from '../../typed/protobuf.writer.js';
import type { OpenApiPart } from './swagger.schema.js';

/**
 * The members of messages as gnostic's OpenAPIv2.proto numbers them: `name:number:type`. Types are `s` text, `b` boolean, `i` integer,
 * `d` number, `a` any value, or the name of a message or of one of {@link SPECIAL}; after `[]` repeated, after `{}` a message of named
 * ones. `x-` stands for all extensions.
 */
const MESSAGES: Readonly<Record<string, string>> = {
  Document:
    'swagger:1:s info:2:Info paths:8:Paths definitions:9:{}Schema parameters:10:{}NamedParameter security:12:[]Requirement ' +
    'securityDefinitions:13:{}SecurityDefinition x-:16:x',
  ApiKey: 'type:1:s name:2:s in:3:s description:4:s x-:5:x',
  Reference: '$ref:1:s description:2:s',
  Info: 'title:1:s version:2:s description:3:s x-:7:x',
  PathItem:
    '$ref:1:s get:2:Operation put:3:Operation post:4:Operation delete:5:Operation options:6:Operation head:7:Operation ' +
    'patch:8:Operation parameters:9:[]Parameter x-:10:x',
  Operation:
    'tags:1:[]s summary:2:s description:3:s operationId:5:s produces:6:[]s consumes:7:[]s parameters:8:[]Parameter ' +
    'responses:9:Responses schemes:10:[]s deprecated:11:b x-:13:x',
  BodyParameter: 'description:1:s name:2:s in:3:s required:4:b schema:5:Schema x-:6:x',
  QueryParameter:
    'required:1:b in:2:s description:3:s name:4:s allowEmptyValue:5:b type:6:s format:7:s uniqueItems:20:b x-:23:x',
  PathParameter: 'required:1:b in:2:s description:3:s name:4:s type:5:s format:6:s uniqueItems:19:b x-:22:x',
  Response: 'description:1:s schema:2:SchemaItem x-:5:x',
  Schema:
    '$ref:1:s format:2:s title:3:s description:4:s default:5:a multipleOf:6:d maximum:7:d exclusiveMaximum:8:b minimum:9:d ' +
    'exclusiveMinimum:10:b maxLength:11:i minLength:12:i pattern:13:s maxItems:14:i minItems:15:i uniqueItems:16:b ' +
    'maxProperties:17:i minProperties:18:i required:19:[]s enum:20:[]a additionalProperties:21:AdditionalProperties type:22:Type ' +
    'items:23:Items allOf:24:[]Schema properties:25:{}Schema readOnly:27:b example:30:a x-:31:x',
};

/** The messages that wrap a value of JSON as it is. */
const SPECIAL: Readonly<Record<string, (value: unknown) => ProtobufWriter>> = {
  Paths: (value) => named(value, 2, (path) => message('PathItem', path)),
  Responses: (value) => named(value, 1, (response) => new ProtobufWriter().bytes(1, message('Response', response))),
  SchemaItem: (value) => new ProtobufWriter().bytes(1, message('Schema', value)),
  AdditionalProperties: (value) =>
    typeof value === 'boolean'
      ? new ProtobufWriter().integer(2, value)
      : new ProtobufWriter().bytes(1, message('Schema', value)),
  Type: (value) => {
    const writer = new ProtobufWriter();
    for (const type of Array.isArray(value) ? value : [value]) writer.bytes(1, String(type));
    return writer;
  },
  Items: (value) => new ProtobufWriter().bytes(1, message('Schema', value)),
  Parameter: (value) =>
    mapping(value)['$ref'] === undefined
      ? new ProtobufWriter().bytes(1, message('NamedParameter', value))
      : new ProtobufWriter().bytes(2, message('Reference', value)),
  NamedParameter: (value) => {
    const { in: place } = mapping(value);
    if (place === 'body') return new ProtobufWriter().bytes(1, message('BodyParameter', value));
    const [number, name] = place === 'path' ? ([4, 'PathParameter'] as const) : ([3, 'QueryParameter'] as const);
    return new ProtobufWriter().bytes(2, new ProtobufWriter().bytes(number, message(name, value)));
  },
  // A token needs no scopes.
  Requirement: (value) => named(value, 1, () => new ProtobufWriter()),
  SecurityDefinition: (value) => new ProtobufWriter().bytes(2, message('ApiKey', value)),
};

/** Encodes a document of Swagger 2.0 as clients ask for it that accept no JSON: `kubectl`, for what it does not find in version 3. */
export function swaggerProtobuf(document: OpenApiPart): Uint8Array {
  return message('Document', document).finish();
}

function message(name: string, value: unknown): ProtobufWriter {
  const special = SPECIAL[name];
  if (special) return special(value);
  const writer = new ProtobufWriter();
  const members = mapping(value);
  for (const field of MESSAGES[name]!.split(' ')) {
    const [key = '', number, type = ''] = field.split(':');
    if (type === 'x') extensions(writer, Number(number), members);
    else if (members[key] !== undefined) write(writer, Number(number), type, members[key]);
  }
  return writer;
}

function write(writer: ProtobufWriter, number: number, type: string, value: unknown): void {
  if (type.startsWith('[]')) {
    for (const item of Array.isArray(value) ? value : []) write(writer, number, type.slice(2), item);
  } else if (type.startsWith('{}'))
    writer.bytes(
      number,
      named(value, 1, (item) => message(type.slice(2), item)),
    );
  else if (type === 's') writer.bytes(number, String(value));
  else if (type === 'b') writer.integer(number, value === true);
  else if (type === 'i') writer.integer(number, Number(value));
  else if (type === 'd') writer.double(number, Number(value));
  else if (type === 'a') writer.bytes(number, any(value));
  else writer.bytes(number, message(type, value));
}

/** Writes a list of pairs under one number, as protobuf has no maps here. */
function named(value: unknown, number: number, encode: (value: unknown) => ProtobufWriter): ProtobufWriter {
  const writer = new ProtobufWriter();
  for (const [name, member] of Object.entries(isMapping(value) ? value : {})) {
    writer.bytes(number, new ProtobufWriter().bytes(1, name).bytes(2, encode(member)));
  }
  return writer;
}

function extensions(writer: ProtobufWriter, number: number, members: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(members)) {
    if (name.startsWith('x-')) writer.bytes(number, new ProtobufWriter().bytes(1, name).bytes(2, any(value)));
  }
}

/** Writes a value as YAML, which JSON is. */
function any(value: unknown): ProtobufWriter {
  return new ProtobufWriter().bytes(2, `${stringifyJson(value)}\n`);
}
