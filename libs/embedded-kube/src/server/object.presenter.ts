import type { Clock } from '../common/clock.js';
import { notAcceptable } from '../errors/status.errors.js';
import type { ProtobufEncoder } from '../typed/protobuf.encoder.js';
import type { KubeObject } from '../resources/kube-object.js';
import type { ObjectList } from '../machinery/object.lister.js';
import type { ServedResource } from '../resources/served.resource.js';
import { parseJson, stringifyJson } from '../common/exact-json.js';
import type { IncludeObject, MetaVersion } from '../printing/table.types.js';
import { SCALES, toTable } from '../printing/table.printer.js';
import type { StoredObject } from '../storage/stored.object.js';
import { type ApiResponse, singleChunk } from './api.request.js';
import { assertListForm, type Negotiated, PROTOBUF } from './media.negotiation.js';
import { toYaml } from './yaml.writer.js';

const JSON_HEADERS = { 'content-type': 'application/json' };

/** Gives objects and lists the form that a client asked for. */
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
    const metadata = listMetadata(served, list);
    if (form.form === 'table') return this.encode(this.table(served, list.objects, query, form, metadata), form);
    if (form.form === 'metadata') {
      const items = list.objects.length > 0 ? list.objects.map(({ object }) => partial(object, form)) : null;
      const head = { kind: 'PartialObjectMetadataList', apiVersion: metaVersion(form) };
      return this.encode({ ...head, metadata, items }, form);
    }
    if (form.protobuf) {
      const items = list.objects.map(({ object }) => served.fromStorage(object));
      return protobufResponse(this.protobuf.list(served.resource, served.listKind, metadata, items), 200);
    }
    const body = listJson(served, list, list.shard === undefined ? metadata : withShard(metadata, list.shard));
    if (form.yaml) return this.encode(parseJson(body) as object, form);
    return { status: 200, headers: JSON_HEADERS, body };
  }

  /** The scale of an object. */
  scale(scale: KubeObject, form: Negotiated, query: URLSearchParams): ApiResponse {
    if (form.form !== 'table') return this.encode(scale, form);
    const includeObject = (query.get('includeObject') as IncludeObject | null) ?? 'Metadata';
    const options = { includeObject, now: this.clock.now(), apiVersion: metaVersion(form) };
    return this.encode(toTable(SCALES, undefined, [scale], options), form);
  }

  encode(value: object, { yaml }: Negotiated = { form: 'object', yaml: false }, status = 200): ApiResponse {
    if (yaml) return { status, headers: { 'content-type': 'application/yaml' }, body: toYaml(value) };
    return { status, headers: JSON_HEADERS, body: stringifyJson(value) };
  }

  private table(
    served: ServedResource,
    objects: readonly StoredObject[],
    query: URLSearchParams,
    form: Negotiated,
    metadata?: object,
  ): object {
    return toTable(
      served.resource,
      served.printerColumns,
      objects.map(({ object }) => served.fromStorage(object)),
      {
        includeObject: (query.get('includeObject') as IncludeObject | null) ?? 'Metadata',
        now: this.clock.now(),
        apiVersion: metaVersion(form),
        ...(metadata && { listMetadata: metadata }),
      },
    );
  }
}

/** @throws StatusError 406 for what has no form in protobuf */
function protobufResponse(bytes: Uint8Array | undefined, status: number): ApiResponse {
  if (!bytes) throw notAcceptable(['application/json', 'application/yaml']);
  return { status, headers: { 'content-type': PROTOBUF }, body: singleChunk(bytes) };
}

/** The JSON of an object in the version in which it is served. */
export function objectJson(served: ServedResource, stored: StoredObject): string {
  const object = served.fromStorage(stored.object);
  return object === stored.object ? stored.json : stringifyJson(object);
}

/** The object's metadata alone. */
export function partial({ metadata }: KubeObject, form: Pick<Negotiated, 'metaVersion'>): object {
  return { kind: 'PartialObjectMetadata', apiVersion: metaVersion(form), metadata };
}

/** The group and version of tables and metadata that a client asked for. */
export function metaVersion({ metaVersion: version }: Pick<Negotiated, 'metaVersion'>): MetaVersion {
  return `meta.k8s.io/${version ?? 'v1'}`;
}

function listMetadata({ custom }: ServedResource, { revision, continueToken, remaining }: ObjectList): object {
  return {
    ...((continueToken || custom) && { continue: continueToken ?? '' }),
    ...(remaining !== undefined && { remainingItemCount: remaining }),
    resourceVersion: String(revision),
  };
}

/** Tells which shard a list is limited to; tables and lists of metadata do not, as on the real server. */
function withShard(metadata: object, selector: string): object {
  return { ...metadata, shardInfo: { selector } };
}

/** Joins what is serialized already; items of built-in lists do not name their kind. */
function listJson(served: ServedResource, { objects }: ObjectList, metadata: object): string {
  const { apiVersion, listKind, custom } = served;
  const meta = JSON.stringify(metadata);
  if (custom) {
    const items = objects.map((stored) => objectJson(served, stored)).join(',');
    return `{"apiVersion":"${apiVersion}","items":[${items}],"kind":"${listKind}","metadata":${meta}}`;
  }
  const head = `{"kind":"${served.resource.kind}","apiVersion":"${apiVersion}",`;
  const items = objects.map((stored) => withoutHead(objectJson(served, stored), head)).join(',');
  return `{"kind":"${listKind}","apiVersion":"${apiVersion}","metadata":${meta},"items":[${items}]}`;
}

function withoutHead(json: string, head: string): string {
  return json.startsWith(head) ? `{${json.slice(head.length)}` : json;
}
