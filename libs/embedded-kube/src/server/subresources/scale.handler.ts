import { ownersWithScale, type ReplicasField, scaleOwners } from '../../apply/scale.owners.js';
import { invalidField } from '../../errors/field.error.js';
import { StatusError } from '../../errors/status.error.js';
import { badRequest, conflict, internalError, invalid, methodNotAllowed } from '../../errors/status.errors.js';
import { decodeObject } from '../../machinery/object.decoder.js';
import { assertTarget, otherIdentity } from '../../machinery/object.updater.js';
import type { WriteOptions } from '../../machinery/write.options.js';
import type { Draft, KubeObject } from '../../resources/kube-object.js';
import { isMapping, jsonEqual, mapping } from '../../common/json.values.js';
import { patchChange } from '../../machinery/patch.change.js';
import type { ObjectMachinery } from '../../machinery/object.machinery.js';
import type { ScalePaths, ServedResource } from '../../resources/served.resource.js';
import type { ApiRequest, ApiResponse } from '../api.request.js';
import type { BodyParser } from '../body.parser.js';
import { type Negotiated, negotiate } from '../media.negotiation.js';
import type { ObjectPresenter } from '../object.presenter.js';
import { patchOptions, writeOptions } from '../request.options.js';
import { assertRouteMediaTypes } from '../route.media-types.js';
import { clientOf, type ResourceRequest, type SubresourceHandler } from '../resource.handler.js';
import type { SubresourceAdmission } from './subresource.admission.js';

/** The handler of `scale`: reads and sets the number of replicas of all resources that have one. */
export class ScaleHandler implements SubresourceHandler {
  readonly key = 'scale';

  constructor(
    private readonly machinery: ObjectMachinery,
    private readonly presenter: ObjectPresenter,
    private readonly bodies: BodyParser,
    private readonly admission: SubresourceAdmission,
    private readonly kind: ServedResource,
  ) {}

  async handle(resourceRequest: ResourceRequest): Promise<ApiResponse> {
    const { request, info, target, served } = resourceRequest;
    const paths = served.scale!;
    const isHead = request.method === 'HEAD' && !served.custom;
    if (!['get', 'update', 'patch'].includes(info.verb) || isHead) throw methodNotAllowed();
    if (!served.custom) assertRouteMediaTypes(request, info.verb);
    const form = negotiate(request.headers['accept']);
    if (info.verb === 'get') {
      const { object } = this.machinery.get(served, target.namespace, target.name);
      const current = served.fromStorage(object);
      if (served.custom && !hasReplicas(current, paths)) {
        throw internalError(`the spec replicas field ${JSON.stringify(paths.specReplicas)} does not exist`);
      }
      return this.presenter.scale(scaleOf(current, paths), form, info.query);
    }
    if (info.verb === 'patch' && this.bodies.isConfiguration(request)) return this.apply(resourceRequest, form);
    const options = writeOptions(
      info.query,
      info.verb === 'patch' ? 'PatchOptions' : 'UpdateOptions',
      clientOf(resourceRequest),
    );
    const sent = info.verb === 'update' ? this.read(resourceRequest, options) : undefined;
    // The number of replicas of a custom resource has no owner any more after an update of its scale, as on the real server.
    const disowns = sent !== undefined && served.custom;
    const replicas = replicasField(served);
    const change = async (current: KubeObject): Promise<unknown> => {
      const scale = scaleOf(current, paths);
      const next = sent ?? this.patched(resourceRequest, scale, options);
      // An update without replicas sets 0; a patch must set a number.
      if (!sent && served.custom && !hasReplicas(current, paths) && mapping(next['spec'])['replicas'] === undefined) {
        throw badRequest(`the spec replicas field ${JSON.stringify(paths.specReplicas)} cannot be empty`);
      }
      const { uid } = next.metadata;
      if (uid && uid !== current.metadata.uid) {
        const dryRun = options.dryRun === true;
        throw otherIdentity(served, target, uid, { stored: current.metadata.uid, dryRun });
      }
      const admitted = await this.admission.update(resourceRequest, next, scale, options);
      const scaled = withReplicas(current, admitted, paths, served.custom) as KubeObject;
      return withOwners(scaled, disowns ? [] : this.owners(scale, next, current, replicas, options), replicas);
    };
    const { namespace, name } = target;
    const admitted = { ...options, admitted: true };
    const stored = await this.machinery.updater.change(served, { namespace, name }, change, 'apply', admitted);
    return this.presenter.encode(scaleOf(served.fromStorage(stored.object), paths), form);
  }

  /** Applies a number of replicas: its owners are those of the object, as far as they own that field. */
  private async apply(resourceRequest: ResourceRequest, form: Negotiated): Promise<ApiResponse> {
    const { request, info, served } = resourceRequest;
    const { namespace, name } = resourceRequest.target;
    const paths = served.scale!;
    const options = patchOptions(info.query, true, clientOf(resourceRequest));
    const configuration = this.bodies.configuration(request);
    this.machinery.get(served, namespace, name);
    const replicas = replicasField(served);
    const change = async (current: KubeObject): Promise<unknown> => {
      const { managedFields } = current.metadata;
      const scale = scaleOf(current, paths);
      const owners = scaleOwners(managedFields, replicas);
      const owned = { ...scale, metadata: { ...scale.metadata, managedFields: owners } };
      if (served.custom && owners.length === 0) throw unconvertibleScale(name, false);
      const applied = this.machinery.applier.applied(this.kind, 'scale', owned as KubeObject, configuration, options);
      // Without a change of the number there is nothing to convert.
      if (served.custom && !jsonEqual(applied['spec'], scale.spec)) throw unconvertibleScale(name, true);
      const next = decodeObject(this.kind, applied, 'apply', options);
      assertTarget(this.kind, { namespace, name }, next);
      const { uid } = next.metadata;
      if (uid && uid !== current.metadata.uid) throw wrongIdentity(served, name, uid, current.metadata.uid);
      const admitted = await this.admission.update(resourceRequest, next, scale, options);
      const scaled = withReplicas(current, admitted, paths, served.custom) as KubeObject;
      return withOwners(scaled, next.metadata.managedFields, replicas);
    };
    const stored = await this.machinery.updater.change(served, { namespace, name }, change, 'apply', {
      ...options,
      admitted: true,
    });
    return this.presenter.encode(scaleOf(served.fromStorage(stored.object), paths), form);
  }

  /** Returns the owners of a scale after it was written by other means than applying. */
  private owners(
    scale: KubeObject,
    next: Draft,
    { metadata: { managedFields } }: KubeObject,
    replicas: ReplicasField,
    options: WriteOptions,
  ): readonly object[] {
    const owned = { ...scale, metadata: { ...scale.metadata, managedFields: scaleOwners(managedFields, replicas) } };
    return this.machinery.applier.owners(this.kind, 'scale', owned as KubeObject, next, options);
  }

  private read({ request, target, served }: ResourceRequest, options: WriteOptions): Draft {
    const scale = this.decoded(request, served, options);
    assertTarget(this.kind, target, scale);
    return scale;
  }

  private decoded(request: ApiRequest, { custom }: ServedResource, options: WriteOptions): Draft {
    try {
      const body = this.bodies.object(request, this.kind);
      const { writtenNumbers } = this.bodies.repetitions(body);
      return decodeObject(this.kind, body, 'body', { ...options, writtenNumbers });
    } catch (error) {
      if (!custom || !(error instanceof StatusError) || error.code !== 400) throw error;
      // The real server does not know scales where it serves custom resources, and cannot describe the error in one.
      throw badRequest('no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"');
    }
  }

  private patched({ request, served }: ResourceRequest, scale: KubeObject, options: WriteOptions): Draft {
    const { type, value } = this.bodies.patch(request, served);
    const next = patchChange(served, type, value)(scale);
    return decodeObject(this.kind, next, 'patch', {
      ...options,
      ...(type === 'merge' && { writtenNumbers: this.bodies.repetitions(value).writtenNumbers }),
      ...(type === 'strategic' && { strategicPatch: value }),
    });
  }
}

/** Makes the error of the real server, which cannot convert the scale of a custom resource to apply something to it. */
function unconvertibleScale(name: string, isOwned: boolean): StatusError {
  const kind = 'autoscaling/v1, Kind=Scale';
  const problem = 'to proper version: request to convert CR to an invalid group/version: autoscaling/v1';
  const message = isOwned
    ? `failed to convert new object (/${name}; ${kind}) ${problem}`
    : `failed to create manager for existing fields: failed to convert live object (/; ${kind}) ${problem}`;
  return new StatusError(500, '', message);
}

/** Returns the error for a scale that is about another object of the same name. */
function wrongIdentity(served: ServedResource, name: string, requested: string, stored = ''): StatusError {
  const { group, plural } = served.resource;
  const detail = `Precondition failed: UID in precondition: ${requested}, UID in object meta: ${stored}`;
  return conflict({ group, name: `${plural}/scale` }, name, detail);
}

/** @throws StatusError 422 */
function assertReplicas(name: string | undefined, replicas: unknown): void {
  if (Number(replicas) >= 0) return;
  const error = invalidField('spec.replicas', replicas, 'must be greater than or equal to 0');
  throw invalid({ group: 'autoscaling', name: 'Scale' }, name ?? '', [error]);
}

function hasReplicas(object: KubeObject, paths: ScalePaths): boolean {
  return read(object, steps(paths.specReplicas)) !== undefined;
}

function withReplicas(current: KubeObject, scale: unknown, paths: ScalePaths, isCustom: boolean): unknown {
  const replicas = mapping(mapping(scale)['spec'])['replicas'] ?? 0;
  // Those of a custom resource are validated with it.
  if (!isCustom) assertReplicas(current.metadata.name, replicas);
  const version = mapping(mapping(scale)['metadata'])['resourceVersion'];
  const metadata = typeof version === 'string' ? { ...current.metadata, resourceVersion: version } : current.metadata;
  return write({ ...current, metadata }, steps(paths.specReplicas), replicas);
}

/** Returns the object with `managedFields` that include the changes made through its scale. */
function withOwners(object: KubeObject, ofScale: unknown, replicas: ReplicasField): KubeObject {
  const { managedFields, ...metadata } = object.metadata;
  const owners = ownersWithScale(managedFields, ofScale, replicas);
  return { ...object, metadata: { ...metadata, ...(owners.length > 0 && { managedFields: owners }) } } as KubeObject;
}

function replicasField({ scale, apiVersion, custom }: ServedResource): ReplicasField {
  return { path: steps(scale!.specReplicas), apiVersion, custom };
}

function scaleOf(object: KubeObject, paths: ScalePaths): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = read(object, steps(paths.specReplicas));
  const selector = paths.labelSelector ? read(object, steps(paths.labelSelector)) : selectorText(object);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas ? { replicas } : {},
    status: { replicas: read(object, steps(paths.statusReplicas)) ?? 0, ...(selector ? { selector } : {}) },
  };
}

/** Returns the selector as clients send it in queries. */
function selectorText({ spec }: KubeObject): string {
  const selector = mapping(mapping(spec)['selector']);
  const isMap = selector['matchLabels'] === undefined && selector['matchExpressions'] === undefined;
  const labels = mapping(isMap ? selector : selector['matchLabels']);
  const equal = Object.entries(labels).map(([key, value]): [string, string] => [key, `${key}=${String(value)}`]);
  const expressions = isMap ? [] : selector['matchExpressions'];
  const others = (Array.isArray(expressions) ? expressions.filter(isMapping) : []).map(requirementText);
  return [...equal, ...others]
    .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
    .map(([, text]) => text)
    .join(',');
}

function requirementText({ key, operator, values }: Readonly<Record<string, unknown>>): [string, string] {
  const name = String(key);
  if (operator === 'Exists') return [name, name];
  if (operator === 'DoesNotExist') return [name, `!${name}`];
  const list = Array.isArray(values) ? values.map(String).sort().join(',') : '';
  return [name, `${name} ${operator === 'In' ? 'in' : 'notin'} (${list})`];
}

function steps(path: string): string[] {
  return path.split('.').filter(Boolean);
}

function read(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner, step) => mapping(inner)[step], value);
}

function write(value: unknown, [step, ...rest]: readonly string[], leaf: unknown): unknown {
  if (step === undefined) return leaf;
  const base = isMapping(value) ? value : {};
  return { ...base, [step]: write(base[step], rest, leaf) };
}
