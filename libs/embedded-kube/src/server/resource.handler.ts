import type { FeatureGates } from '../common/feature.gates.js';
import { EventLoopTurns } from '../common/event-loop.turns.js';
import { after, type Eventual } from '../common/eventual.js';
import { StatusError } from '../errors/status.error.js';
import { quoteGo } from '../common/go-quote.js';
import { badRequest, futureVersion, methodNotAllowed, notFound } from '../errors/status.errors.js';
import type { ApiUser } from '../machinery/api.user.js';
import type { ObjectMachinery } from '../machinery/object.machinery.js';
import { decodeObject } from '../machinery/object.decoder.js';
import { assertTarget, assertVersion, otherIdentity } from '../machinery/object.updater.js';
import type { DeleteRequest, WriteOptions } from '../machinery/write.options.js';
import { mapping } from '../common/json.values.js';
import type { Draft } from '../resources/kube-object.js';
import { patchChange } from '../machinery/patch.change.js';
import type { ObjectList } from '../machinery/object.lister.js';
import type { WatchService } from '../machinery/watch.service.js';
import type { WatchStream } from '../machinery/watch.stream.js';
import { resourceName, type ServedResource } from '../resources/served.resource.js';
import type { ApiRequest, ApiResponse } from './api.request.js';
import type { BodyParser, Patch, Repetitions } from './body.parser.js';
import { negotiate } from './media.negotiation.js';
import type { ObjectPresenter } from './object.presenter.js';
import type { RequestInfo, ResourcePath } from './request.info.js';
import { type Client, deleteRequest, listOptions, patchOptions, writeOptions } from './request.options.js';
import { assertRouteMediaTypes } from './route.media-types.js';
import { watchAnswer } from './streaming/watch.answer.js';
import type { WatchEncoders } from './watch.encoders.js';

/** A request for a resource that is served. */
export interface ResourceRequest {
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  readonly target: ResourcePath;
  readonly served: ServedResource;
  readonly user: ApiUser;
  /** Adds a `warning` header to the answer. */
  readonly warn: (message: string) => void;
  /** Throws a `StatusError` 403 unless the user may request the same with another verb. */
  readonly assertAllowed: (verb: string) => void;
}

/** The handler of a subresource that is no view of the whole object, or of a resource that is not stored. */
export interface SubresourceHandler {
  /** The key of what it handles: `pods/eviction`, `scale` for all resources that have it, `bindings` for a resource. */
  readonly key: string;
  handle(request: ResourceRequest): Promise<ApiResponse> | ApiResponse;
}

/** The handler of resources and objects, and of the subresources that are views of the whole object. */
export class ResourceHandler {
  private readonly turns = new EventLoopTurns();

  constructor(
    private readonly machinery: ObjectMachinery,
    private readonly watches: WatchService,
    private readonly presenter: ObjectPresenter,
    private readonly encoders: WatchEncoders,
    private readonly bodies: BodyParser,
    private readonly gates: FeatureGates,
  ) {}

  /** @throws StatusError */
  handle(request: ResourceRequest): Promise<ApiResponse> | ApiResponse {
    const { verb, target, served } = { ...request, verb: request.info.verb };
    if (request.request.method === 'HEAD') throw methodNotAllowed();
    if (!target.subresource && !served.resource.verbs.includes(verb)) throw methodNotAllowed();
    if (!target.name && (verb === 'update' || verb === 'patch')) throw methodNotAllowed();
    const isNamedCreation = verb === 'create' && target.name && !target.subresource;
    // The real server does not look at the name where the resource is custom.
    if (isNamedCreation && !served.custom) throw methodNotAllowed();
    if (!served.custom) assertRouteMediaTypes(request.request, verb);
    if (served.deprecation) request.warn(served.deprecation);
    assertPathName(target.name);
    return served.prepare ? served.prepare().then(() => this.dispatch(verb, request)) : this.dispatch(verb, request);
  }

  private dispatch(verb: string, request: ResourceRequest): Promise<ApiResponse> | ApiResponse {
    switch (verb) {
      case 'get':
        return this.get(request);
      case 'list':
        return this.list(request);
      case 'watch':
        return this.watch(request);
      case 'create':
        return this.create(request);
      case 'update':
        return this.update(request);
      case 'patch':
        return this.patch(request);
      case 'delete':
        return this.delete(request);
      case 'deletecollection':
        return this.deleteCollection(request);
      default:
        throw methodNotAllowed();
    }
  }

  private get({ request, info, target, served }: ResourceRequest): Promise<ApiResponse> | ApiResponse {
    const form = negotiate(request.headers['accept']);
    const version = info.query.get('resourceVersion');
    const newest = request.member ? Infinity : this.machinery.store.revision;
    assertReadVersion(version, newest, served.storageKey !== 'events');
    if (request.member && version) {
      const read = request.member.get(served, target.namespace, target.name, version);
      return read.then((object) => this.presenter.object(served, object, form, info.query));
    }
    const object = this.machinery.get(served, target.namespace, target.name);
    return this.presenter.object(served, object, form, info.query);
  }

  private list({ request, info, target, served }: ResourceRequest): Eventual<ApiResponse> {
    const form = negotiate(request.headers['accept']);
    const options = listOptions(info.query, this.gates);
    const listNewest = (): Eventual<ObjectList> => this.machinery.lister.list(served, scope(target), options);
    const seen = request.member?.list(served, scope(target), options);
    const listed = after(seen, (list) => list ?? listNewest());
    return after(listed, (list) => this.presenter.list(served, list, form, info.query));
  }

  private watch({ request, info, target, served }: ResourceRequest): Eventual<ApiResponse> {
    const form = negotiate(request.headers['accept']);
    const options = listOptions(info.query, this.gates, true);
    const named = target.name ? { ...options, fieldSelector: `metadata.name=${target.name}` } : options;
    const encoder = this.encoders.create(served, form, info.query);
    const respond = (body: WatchStream): ApiResponse => watchAnswer(request, body, form.protobuf === true);
    const watchNewest = (): WatchStream => this.watches.watch(served, scope(target), named, encoder);
    const seen = request.member?.watch(served, scope(target), named, encoder);
    return after(seen, (stream) => respond(stream ?? watchNewest()));
  }

  private async create(resourceRequest: ResourceRequest): Promise<ApiResponse> {
    const { request, info, target, served } = resourceRequest;
    const form = negotiate(request.headers['accept']);
    this.bodies.assertObjectType(request);
    const options = writeOptions(info.query, 'CreateOptions', clientOf(resourceRequest));
    const body = this.bodies.object(request, served);
    const create = { ...options, ...this.bodies.repetitions(body) };
    const object = await this.machinery.creator.create(served, target.namespace, body, create);
    return this.presenter.object(served, object, form, info.query, 201);
  }

  private async update(resourceRequest: ResourceRequest): Promise<ApiResponse> {
    const { request, info, target, served } = resourceRequest;
    const form = negotiate(request.headers['accept']);
    const options = writeOptions(info.query, 'UpdateOptions', clientOf(resourceRequest));
    const body = this.bodies.object(request, served);
    if (served.createdByUpdate && !target.subresource && !this.machinery.has(served, target.namespace, target.name)) {
      return this.createByUpdate(resourceRequest, body, options);
    }
    const replace = { ...options, ...this.bodies.repetitions(body) };
    const object = await this.machinery.updater.replace(served, objectTarget(target), body, replace);
    return this.presenter.object(served, object, form, info.query);
  }

  /** Creates an object that is to be replaced and does not exist, where the real server does. */
  private async createByUpdate(
    { request, info, target, served, assertAllowed }: ResourceRequest,
    body: unknown,
    options: WriteOptions,
  ): Promise<ApiResponse> {
    assertAllowed('create');
    decodeObject(served, body, 'body', { fieldValidation: 'Ignore' });
    const { resourceVersion, ...metadata } = mapping(mapping(body)['metadata']);
    assertTarget(served, target, { metadata: { ...metadata } } as Draft);
    if (typeof resourceVersion === 'string') assertVersion(resourceVersion);
    const created = { ...mapping(body), metadata };
    const { uid } = metadata;
    if (typeof uid === 'string' && uid) {
      throw otherIdentity(served, target, uid, { dryRun: options.dryRun === true });
    }
    const create = { ...options, ...this.bodies.repetitions(body) };
    const object = await this.machinery.creator.create(served, target.namespace, created, create);
    return this.presenter.object(served, object, negotiate(request.headers['accept']), info.query, 201);
  }

  private async patch(resourceRequest: ResourceRequest): Promise<ApiResponse> {
    const { request, info, target, served } = resourceRequest;
    const form = negotiate(request.headers['accept']);
    if (this.bodies.isConfiguration(request)) return this.apply(resourceRequest);
    this.bodies.assertPatchType(request, served);
    const given = patchOptions(info.query, false, clientOf(resourceRequest));
    const patch = this.readPatch(resourceRequest);
    const options = {
      ...given,
      ...(patch.type === 'json' ? { patchProblems: patch.problems } : this.bodies.repetitions(patch.value)),
      ...(patch.type === 'strategic' && { strategicPatch: patch.value }),
    };
    const change = patchChange(served, patch.type, patch.value);
    const object = await this.machinery.updater.change(served, objectTarget(target), change, 'patch', options);
    return this.presenter.object(served, object, form, info.query);
  }

  /** Reads a patch; the error of an unreadable one comes after that of an object that does not exist. */
  private readPatch({ request, target, served }: ResourceRequest): Patch {
    try {
      return this.bodies.patch(request, served);
    } catch (error) {
      const isUnreadable = error instanceof StatusError && error.code === 400;
      if (isUnreadable) this.machinery.get(served, target.namespace, target.name);
      throw error;
    }
  }

  private async apply(resourceRequest: ResourceRequest): Promise<ApiResponse> {
    const { request, info, target, served } = resourceRequest;
    const form = negotiate(request.headers['accept']);
    const options = {
      ...patchOptions(info.query, true, clientOf(resourceRequest)),
      assertCreatable: () => resourceRequest.assertAllowed('create'),
    };
    const configuration = this.bodies.configuration(request);
    reportRepeatedKeys(this.bodies.repetitions(configuration), options);
    const applied = await this.machinery.applier.apply(served, objectTarget(target), configuration, options);
    return this.presenter.object(served, applied.stored, form, info.query, applied.created ? 201 : 200);
  }

  private async delete(resourceRequest: ResourceRequest): Promise<ApiResponse> {
    const { request, info, target, served } = resourceRequest;
    if (target.subresource) throw notFound(resourceName(served), target.name);
    const form = negotiate(request.headers['accept']);
    const options = deleteRequest(info.query, this.bodies.options(request), clientOf(resourceRequest));
    warnOfOrphans(served, options);
    const { gone, object } = await this.machinery.deleter.delete(served, target.namespace, target.name, options);
    if (!gone || served.strategy.returnsDeleted) return this.presenter.object(served, object, form, info.query);
    const { group, plural } = served.resource;
    const { name, uid } = object.object.metadata;
    const details = { name, ...(group && { group }), kind: plural, uid };
    return this.presenter.encode({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }, form);
  }

  private async deleteCollection(resourceRequest: ResourceRequest): Promise<ApiResponse> {
    const { request, info, target, served } = resourceRequest;
    const form = negotiate(request.headers['accept']);
    const single = deleteRequest(info.query, this.bodies.options(request), clientOf(resourceRequest));
    const options = { ...single, collective: true };
    warnOfOrphans(served, options);
    const list = await this.machinery.lister.list(served, scope(target), listOptions(info.query, this.gates));
    for (const { namespace, name } of list.objects) {
      try {
        await this.machinery.deleter.delete(served, namespace, name, options);
      } catch (error) {
        // An object that another client has deleted in between is gone as well.
        if (!(error instanceof StatusError) || error.code !== 404) throw error;
      }
      const pause = this.turns.step();
      if (pause) await pause;
    }
    return this.presenter.list(served, list, form, info.query);
  }
}

function warnOfOrphans({ strategy }: ServedResource, { propagationPolicy, warn }: DeleteRequest): void {
  if (strategy.deletionWarning && propagationPolicy === undefined) warn?.(strategy.deletionWarning);
}

/** Returns the sender of a request in the form of write options. */
export function clientOf({ request, user, warn }: ResourceRequest): Client {
  const userAgent = request.headers['user-agent'];
  return { user, warn, ...(userAgent && { userAgent }), ...(request.record && { cause: request.record }) };
}

/** Warns of keys that stand more than once in a configuration. @throws StatusError 400 instead if strictness is asked for */
function reportRepeatedKeys({ repeatedKeys = [] }: Repetitions, { fieldValidation, warn }: WriteOptions): void {
  if (repeatedKeys.length === 0 || fieldValidation === 'Ignore') return;
  if (fieldValidation !== 'Strict') for (const key of repeatedKeys) warn?.(key);
  else {
    const list = ['yaml: unmarshal errors:', ...repeatedKeys].join('\n  ');
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${list}`);
  }
}

/** @throws StatusError 400 for a name that cannot be part of a path */
function assertPathName(name: string): void {
  const problem = name === '.' || name === '..' ? `be '${name}'` : name.includes('%') ? "contain '%'" : undefined;
  if (problem) throw badRequest(`Name parameter invalid: ${quoteGo(name)}: may not ${problem}`);
}

/** @param isCached is false for events, which the real server reads from its storage. @throws StatusError 400, 500, 504 */
function assertReadVersion(version: string | null, current: number, isCached: boolean): void {
  if (!version) return;
  if (/^\d+$/.test(version)) {
    if (Number(version) <= current) return;
    const { code, reason, message, details } = futureVersion(version, current);
    throw new StatusError(code, reason, message, isCached ? details : { causes: details!.causes! });
  }
  const quoted = JSON.stringify(version);
  const message = `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`;
  throw isCached ? new StatusError(500, '', message) : badRequest(`invalid resource version: ${message}`);
}

function scope({ namespace }: ResourcePath): string | undefined {
  return namespace || undefined;
}

function objectTarget({ namespace, name, subresource }: ResourcePath) {
  return { namespace, name, ...(subresource && { subresource }) };
}
