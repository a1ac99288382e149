import { mapping } from '../../common/json.values.js';
import { invalidField, type FieldError } from '../../errors/field.error.js';
import { StatusError } from '../../errors/status.error.js';
import { badRequest, invalid, methodNotAllowed } from '../../errors/status.errors.js';
import type { ObjectMachinery } from '../../machinery/object.machinery.js';
import type { KubeObject } from '../../resources/kube-object.js';
import type { ApiResponse } from '../api.request.js';
import type { ResourceRequest, SubresourceHandler } from '../resource.handler.js';

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
    const container = isOfPod ? '' : containerOf(pod, info.query.get('container') ?? '');
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

/** Gives the logs of a pod: none, as nothing runs. */
export class LogHandler implements SubresourceHandler {
  readonly key = 'pods/log';

  constructor(private readonly machinery: ObjectMachinery) {}

  handle({ info, target, served }: ResourceRequest): ApiResponse {
    if (info.verb !== 'get') throw methodNotAllowed();
    const errors = ['tailLines', 'limitBytes', 'sinceSeconds'].flatMap((name) =>
      limitErrors(name, info.query.get(name)),
    );
    const { object: pod } = this.machinery.get(served, target.namespace, target.name);
    if (errors.length > 0) throw invalid({ group: '', name: 'PodLogOptions' }, target.name, errors);
    containerOf(pod, info.query.get('container') ?? '');
    const status = mapping(pod['spec'])['nodeName'] ? 200 : 204;
    return { status, headers: { 'content-type': 'text/plain' }, body: '' };
  }
}

function limitErrors(name: string, text: string | null): FieldError[] {
  if (!text) return [];
  if (!/^-?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  const least = name === 'tailLines' ? 0 : 1;
  if (Number(text) >= least) return [];
  const rule = least ? 'must be greater than 0' : 'must be greater than or equal to 0';
  return [invalidField(name, Number(text), rule)];
}

/** @returns the container that is meant. @throws StatusError 400 if the pod has no such container, or it has several */
function containerOf(pod: KubeObject, name: string): string {
  const { containers, initContainers, ephemeralContainers } = mapping(pod['spec']);
  const names = [initContainers, containers, ephemeralContainers]
    .flatMap((list): unknown[] => (Array.isArray(list) ? list : []))
    .map((container) => String(mapping(container)['name']));
  const podName = pod.metadata.name ?? '';
  if (name) {
    if (!names.includes(name)) throw badRequest(`container ${name} is not valid for pod ${podName}`);
    return name;
  }
  const [only, ...others] = Array.isArray(containers) ? containers : [];
  if (others.length === 0) return String(mapping(only)['name']);
  throw badRequest(`a container name must be specified for pod ${podName}, choose one of: [${names.join(' ')}]`);
}
