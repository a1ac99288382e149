import { type Clock, parseJson, stringifyJson } from 'kube-common';
import { quoteGo } from '../common/go-quote.js';
import { badRequest, notAcceptable } from '../errors/status.errors.js';
import type { ProtobufEncoder } from '../typed/protobuf.encoder.js';
import type { KubeObject } from '../resources/kube-object.js';
import type { ObjectList } from '../machinery/object.lister.js';
import type { ServedResource } from '../resources/served.resource.js';
import type { IncludeObject, MetaVersion, Table, TableOptions } from '../printing/table.types.js';
import { rowPrinter, SCALES, toTable } from '../printing/table.printer.js';
import type { StoredObject } from '../storage/stored.object.js';
import { type ApiResponse, singleChunk } from './api.request.js';
import { streamed } from './body.stream.js';
import { headOf, isServedAsStored } from './stored.text.js';
import { assertListForm, type Negotiated, PROTOBUF } from './media.negotiation.js';
import { toYaml } from './yaml.writer.js';

/** The number of objects from which on a list is sent while it is made. */
const LONG_LIST = 500;

/** The length of a list's text from which on it is sent while it is made. */
const LONG_BODY = 1024 * 1024;

/** The resource that is made up on demand, so that it has no version. */
const UNVERSIONED = 'componentstatuses';

const JSON_HEADERS = { 'content-type': 'application/json' };

/** The form of objects and lists that a client has asked for: JSON, YAML, protobuf, tables, or metadata alone. */
export class ObjectPresenter {
  constructor(
    private readonly clock: Clock,
    private readonly protobuf: ProtobufEncoder,
  ) {}

  object(
    served: ServedResource,
    stored: StoredObject,
    form: Negotiated,
    query: URLSearchParams,
    status = 200,
  ): ApiResponse {
    assertListForm(form, false, served);
    if (form.form === 'table') return this.encode(this.table(served, [stored], query, form), form, status);
    if (form.form === 'metadata') return this.encode(partial(stored.object, form), form, status);
    if (form.yaml) return this.encode(served.fromStorage(stored.object), form, status);
    if (form.protobuf) {
      return protobufResponse(this.protobuf.object(served.resource, served.fromStorage(stored.object)), status);
    }
    return { status, headers: JSON_HEADERS, body: objectJson(served, stored) };
  }

  list(served: ServedResource, list: ObjectList, form: Negotiated, query: URLSearchParams): ApiResponse {
    assertListForm(form, true, served);
    const isVersioned = served.storageKey !== UNVERSIONED;
    const metadata = isVersioned ? listMetadata(list, served.custom && form.form === 'object') : {};
    if (form.protobuf) {
      const items = list.objects.map((object) => served.fromStorage(object.read()));
      return protobufResponse(this.protobuf.list(served.resource, served.listKind, metadata, items), 200);
    }
    const pieces = this.listPieces(served, list, form, query, metadata);
    if (!form.yaml && isLong(list)) return { status: 200, headers: JSON_HEADERS, body: streamed(pieces) };
    const body = [...pieces]
      .map((piece) => (typeof piece === 'string' ? piece : Buffer.from(piece).toString()))
      .join('');
    if (form.yaml) return this.encode(parseJson(body) as object, form);
    return { status: 200, headers: JSON_HEADERS, body };
  }

  /** Answers with the scale of an object. */
  scale(scale: KubeObject, form: Negotiated, query: URLSearchParams): ApiResponse {
    if (form.form !== 'table') return this.encode(scale, form);
    return this.encode(toTable(SCALES, undefined, [scale], this.tableOptions(query, form)), form);
  }

  encode(value: object, { yaml }: Negotiated = { form: 'object', yaml: false }, status = 200): ApiResponse {
    if (yaml) return { status, headers: { 'content-type': 'application/yaml' }, body: toYaml(value) };
    return { status, headers: JSON_HEADERS, body: stringifyJson(value) };
  }

  private listPieces(
    served: ServedResource,
    list: ObjectList,
    form: Negotiated,
    query: URLSearchParams,
    metadata: object,
  ): Iterable<string | Uint8Array> {
    switch (form.form) {
      case 'table': {
        const row = rowPrinter(served.resource, served.printerColumns, this.tableOptions(query, form));
        const table = this.table(served, [], query, form, metadata);
        if (list.objects.length === 0) return [stringifyJson(table)];
        return piecesOf({ ...table, rows: [] }, list.objects, (object) =>
          stringifyJson(row(served.fromStorage(object.read()))),
        );
      }
      case 'metadata': {
        const head = { kind: 'PartialObjectMetadataList', apiVersion: metaVersion(form), metadata };
        if (list.objects.length === 0) return [stringifyJson({ ...head, items: null })];
        const empty = { ...head, items: [] };
        return piecesOf(empty, list.objects, (object) => stringifyJson(partial(object.read(), form)));
      }
      case 'object':
        return objectPieces(served, list, withShard(metadata, list.shard));
    }
  }

  private table(
    served: ServedResource,
    objects: readonly StoredObject[],
    query: URLSearchParams,
    form: Negotiated,
    metadata?: object,
  ): Table {
    const items = objects.map((object) => served.fromStorage(object.read()));
    const options = { ...this.tableOptions(query, form), ...(metadata && { listMetadata: metadata }) };
    return toTable(served.resource, served.printerColumns, items, options);
  }

  private tableOptions(query: URLSearchParams, form: Negotiated): TableOptions {
    return { includeObject: includedObject(query), now: this.clock.now(), apiVersion: metaVersion(form) };
  }
}

/** @throws StatusError 406 for what has no form in protobuf */
function protobufResponse(bytes: Uint8Array | undefined, status: number): ApiResponse {
  if (!bytes) throw notAcceptable(['application/json', 'application/yaml']);
  return { status, headers: { 'content-type': PROTOBUF }, body: singleChunk(bytes) };
}

/** Returns the JSON of an object in the version in which it is served. */
export function objectJson(served: ServedResource, stored: StoredObject): string {
  return isServedAsStored(served, stored) ? stored.json : stringifyJson(served.fromStorage(stored.read()));
}

/** Returns the object's metadata alone. */
export function partial({ metadata }: KubeObject, form: Pick<Negotiated, 'metaVersion'>): object {
  return { kind: 'PartialObjectMetadata', apiVersion: metaVersion(form), metadata };
}

/** Reads from a query how much of the objects a table is to carry. @throws StatusError 400 */
export function includedObject(query: URLSearchParams): IncludeObject {
  const value = query.get('includeObject') || 'Metadata';
  if (value === 'Metadata' || value === 'Object' || value === 'None') return value;
  const problem = `includeObject: Invalid value: ${quoteGo(value)}: must be 'Metadata', 'Object', 'None', or empty`;
  throw badRequest(`Unable to convert to Table as requested: ${problem}`);
}

/** Returns the group and version of tables and metadata that a client asked for. */
export function metaVersion({ metaVersion: version }: Pick<Negotiated, 'metaVersion'>): MetaVersion {
  return `meta.k8s.io/${version ?? 'v1'}`;
}

/** @param isUntyped shows that there is no next page, as the real server does in lists of custom resources, not in tables of them */
function listMetadata({ revision, continueToken, remaining }: ObjectList, isUntyped: boolean): object {
  return {
    ...((continueToken || isUntyped) && { continue: continueToken ?? '' }),
    ...(remaining !== undefined && { remainingItemCount: remaining }),
    resourceVersion: String(revision),
  };
}

/** Adds the shard that a list is limited to; tables and lists of metadata do not show it, as on the real server. */
function withShard(metadata: object, selector: string | undefined): object {
  return selector === undefined ? metadata : { ...metadata, shardInfo: { selector } };
}

/** Whether a list takes so much time that other requests must not wait for it. */
function isLong({ objects }: ObjectList): boolean {
  if (objects.length > LONG_LIST) return true;
  let size = 0;
  for (const object of objects) size += object.size;
  return size > LONG_BODY;
}

/** Yields the JSON of a list, the last member of which is an empty list that gets the items. */
function* piecesOf<T>(empty: object, items: readonly T[], render: (item: T) => string): Generator<string> {
  yield stringifyJson(empty).slice(0, -2);
  for (const [index, item] of items.entries()) yield index > 0 ? `,${render(item)}` : render(item);
  yield ']}';
}

/** Joins parts that are serialized already; items of built-in lists do not have their kind. */
function* objectPieces(
  served: ServedResource,
  { objects }: ObjectList,
  metadata: object,
): Generator<string | Uint8Array> {
  const { apiVersion, listKind, custom } = served;
  const meta = JSON.stringify(metadata);
  const head = headOf(served);
  const skipped = custom ? 0 : head.length;
  yield custom
    ? `{"apiVersion":"${apiVersion}","items":[`
    : `{"kind":"${listKind}","apiVersion":"${apiVersion}","metadata":${meta},"items":[`;
  let separator = '';
  for (const stored of objects) {
    const parts = isServedAsStored(served, stored, head) ? stored.partsFrom(skipped) : undefined;
    if (parts) {
      if (skipped > 0) yield `${separator}{`;
      else if (separator) yield separator;
      yield* parts;
    } else {
      const text = objectJson(served, stored);
      yield skipped > 0 && text.startsWith(head) ? `${separator}{${text.slice(skipped)}` : `${separator}${text}`;
    }
    separator = ',';
  }
  yield custom ? `],"kind":"${listKind}","metadata":${meta}}` : ']}';
}
