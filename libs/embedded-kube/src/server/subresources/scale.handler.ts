import { badRequest, methodNotAllowed } from '../../errors/status.errors.js';
import type { KubeObject } from '../../resources/kube-object.js';
import { isMapping, mapping } from '../../common/json.values.js';
import { patchChange } from '../../machinery/patch.change.js';
import type { ObjectMachinery } from '../../machinery/object.machinery.js';
import type { ScalePaths } from '../../resources/served.resource.js';
import type { ApiResponse } from '../api.request.js';
import type { BodyParser } from '../body.parser.js';
import { negotiate } from '../media.negotiation.js';
import type { ObjectPresenter } from '../object.presenter.js';
import { writeOptions } from '../request.options.js';
import { clientOf, type ResourceRequest, type SubresourceHandler } from '../resource.handler.js';
import type { SubresourceAdmission } from './subresource.admission.js';

/** Reads and sets the number of replicas of whatever has one. */
export class ScaleHandler implements SubresourceHandler {
  readonly key = 'scale';

  constructor(
    private readonly machinery: ObjectMachinery,
    private readonly presenter: ObjectPresenter,
    private readonly bodies: BodyParser,
    private readonly admission: SubresourceAdmission,
  ) {}

  async handle(resourceRequest: ResourceRequest): Promise<ApiResponse> {
    const { request, info, target, served } = resourceRequest;
    const paths = served.scale!;
    const form = negotiate(request.headers['accept']);
    if (info.verb === 'get') {
      const { object } = this.machinery.get(served, target.namespace, target.name);
      return this.presenter.scale(scaleOf(served.fromStorage(object), paths), form, info.query);
    }
    if (info.verb !== 'update' && info.verb !== 'patch') throw methodNotAllowed();
    const options = writeOptions(
      info.query,
      info.verb === 'patch' ? 'PatchOptions' : 'UpdateOptions',
      clientOf(resourceRequest),
    );
    const change = async (current: KubeObject): Promise<unknown> => {
      const scale = scaleOf(current, paths);
      let next: unknown;
      if (info.verb === 'update') next = this.bodies.object(request, served);
      else {
        const patch = this.bodies.patch(request, served);
        next = patchChange(served, patch.type, patch.value)(scale);
      }
      return withReplicas(current, await this.admission.update(resourceRequest, next, scale, options), paths);
    };
    const { namespace, name } = target;
    const part = { subresource: 'scale', field: paths.specReplicas };
    const admitted = { ...options, admitted: true, part };
    const stored = await this.machinery.updater.change(served, { namespace, name }, change, 'patch', admitted);
    return this.presenter.encode(scaleOf(served.fromStorage(stored.object), paths), form);
  }
}

function withReplicas(current: KubeObject, scale: unknown, paths: ScalePaths): unknown {
  const replicas = mapping(mapping(scale)['spec'])['replicas'] ?? 0;
  if (!Number.isInteger(replicas) || (replicas as number) < 0) throw badRequest('spec.replicas must not be negative');
  const version = mapping(mapping(scale)['metadata'])['resourceVersion'];
  const metadata = typeof version === 'string' ? { ...current.metadata, resourceVersion: version } : current.metadata;
  return write({ ...current, metadata }, steps(paths.specReplicas), replicas);
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

function selectorText({ spec }: KubeObject): string {
  const selector = mapping(mapping(spec)['selector']);
  const labels = mapping(selector['matchLabels'] ?? selector);
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(',');
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
