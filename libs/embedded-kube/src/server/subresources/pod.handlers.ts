import type { Clock } from 'kube-common';
import { conflict, methodNotAllowed } from '../../errors/status.errors.js';
import { timestamp } from '../../common/timestamps.js';
import { mapping } from '../../common/json.values.js';
import type { ObjectMachinery } from '../../machinery/object.machinery.js';
import { resourceName } from '../../resources/served.resource.js';
import type { ApiResponse } from '../api.request.js';
import type { BodyParser } from '../body.parser.js';
import type { ObjectPresenter } from '../object.presenter.js';
import type { ResourceRequest, SubresourceHandler } from '../resource.handler.js';
import { creationOptions, type SubresourceAdmission } from './subresource.admission.js';

/** The condition of pods that have a node. */
const SCHEDULED = 'PodScheduled';
const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

/** The handler of `pods/binding`: assigns a pod to a node. */
export class BindingHandler implements SubresourceHandler {
  readonly key = 'pods/binding';

  constructor(
    private readonly machinery: ObjectMachinery,
    private readonly presenter: ObjectPresenter,
    private readonly bodies: BodyParser,
    private readonly admission: SubresourceAdmission,
    private readonly clock: Clock,
  ) {}

  async handle(resourceRequest: ResourceRequest): Promise<ApiResponse> {
    const { request, info, target, served } = resourceRequest;
    if (info.verb !== 'create') throw methodNotAllowed();
    this.bodies.assertObjectType(request);
    const options = creationOptions(resourceRequest);
    const body = this.bodies.object(request, served);
    const binding = await this.admission.create(resourceRequest, body, options);
    const nodeName = mapping(binding['target'])['name'];
    const { namespace, name } = target;
    await this.machinery.updater.change(
      served,
      { namespace, name, subresource: 'binding' },
      (pod) => {
        const spec = mapping(pod['spec']);
        if (spec['nodeName']) {
          const reason = `pod ${name} is already assigned to node ${JSON.stringify(spec['nodeName'])}`;
          throw conflict(resourceName(served), name, reason);
        }
        return { ...pod, spec: { ...spec, nodeName }, status: this.scheduled(mapping(pod['status'])) };
      },
      'patch',
      { ...options, admitted: true },
    );
    return this.presenter.encode(SUCCESS, undefined, 201);
  }

  /** Returns the status of a pod that has got a node. */
  private scheduled(status: Readonly<Record<string, unknown>>): object {
    const others = Array.isArray(status['conditions']) ? (status['conditions'] as unknown[]) : [];
    const kept = others.filter((each) => mapping(each)['type'] !== SCHEDULED);
    const isKnown = others.some((each) => mapping(each)['type'] === SCHEDULED && mapping(each)['status'] === 'True');
    const lastTransitionTime = timestamp(this.clock.now());
    const condition = { type: SCHEDULED, status: 'True', lastProbeTime: null, lastTransitionTime };
    return isKnown ? status : { ...status, conditions: [...kept, condition] };
  }
}
