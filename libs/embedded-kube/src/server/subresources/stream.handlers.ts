import { mapping } from '../../common/json.values.js';
import { StatusError } from '../../errors/status.error.js';
import { badRequest, methodNotAllowed } from '../../errors/status.errors.js';
import type { ObjectMachinery } from '../../machinery/object.machinery.js';
import type { ResourceRequest, SubresourceHandler } from '../resource.handler.js';
import { containerOf } from './pod.containers.js';

/** The reasons why nothing can be reached, by the streams that clients ask for. */
const STREAMS = {
  exec: 'no command can be executed in it',
  attach: 'there is no process to attach to',
  portforward: 'nothing listens on its ports',
} as const;

/** Says to `kubectl exec`, `attach`, `cp` and `port-forward` that pods are simulated; what is wrong otherwise is said as by the real server. */
export class SimulatedStreamHandler implements SubresourceHandler {
  readonly key: string;

  constructor(
    private readonly stream: keyof typeof STREAMS,
    private readonly machinery: ObjectMachinery,
  ) {
    this.key = `pods/${stream}`;
  }

  handle({ info, target, served }: ResourceRequest): never {
    if (info.verb !== 'get' && info.verb !== 'create') throw methodNotAllowed();
    const { object: pod } = this.machinery.get(served, target.namespace, target.name);
    const isOfPod = this.stream === 'portforward';
    const container = isOfPod ? '' : containerOf(pod, info.query.get('container') ?? undefined);
    if (!mapping(pod['spec'])['nodeName']) throw badRequest(`pod ${target.name} does not have a host assigned`);
    const what = `${container ? `container ${container} of ` : ''}pod ${target.namespace}/${target.name}`;
    throw badRequest(`${what} is simulated by embedded-kube: ${STREAMS[this.stream]}`);
  }
}

/** Says to those who want to reach pods, services and nodes through the server that nothing listens there. */
export class SimulatedProxyHandler implements SubresourceHandler {
  readonly key: string;

  /** @param plural `pods`, `services`, `nodes` */
  constructor(
    plural: string,
    private readonly machinery: ObjectMachinery,
  ) {
    this.key = `${plural}/proxy`;
  }

  handle({ target, served }: ResourceRequest): never {
    // The name can be preceded by a scheme and followed by a port: https:web:443.
    const [first = '', second] = target.name.split(':');
    this.machinery.get(served, target.namespace, second !== undefined && /^https?$/.test(first) ? second : first);
    const reason = `${served.resource.singular} ${target.name} is simulated by embedded-kube: nothing listens there`;
    throw new StatusError(503, 'ServiceUnavailable', `error trying to reach service: ${reason}`);
  }
}
