import { mapping } from '../../common/json.values.js';
import { StatusError } from '../../errors/status.error.js';
import { badRequest, methodNotAllowed } from '../../errors/status.errors.js';
import type { KubeObject } from '../../resources/kube-object.js';
import type { ObjectMachinery } from '../../machinery/object.machinery.js';
import type { SimulatedProcesses } from '../../controllers/nodes/simulated.processes.js';
import type { ApiRequest, ApiResponse } from '../api.request.js';
import type { ResourceRequest, SubresourceHandler } from '../resource.handler.js';
import { PortForwarder } from '../streaming/port.forwarder.js';
import { runProcess } from '../streaming/process.runner.js';
import { spdyStreams, type StreamChoice, webSocketStreams } from '../streaming/remote.streams.js';
import { type Carriers, streamUpgrade } from '../streaming/stream.upgrade.js';
import { queryFlag } from '../request.info.js';
import { commandOptions, forwardOptions, proxyOptions, type ConnectOptions } from './connect.options.js';
import { containerOf } from './pod.containers.js';
import type { SubresourceAdmission } from './subresource.admission.js';

/** The protocols in which commands are executed. */
const COMMANDS: Carriers = {
  webSocket: ['v5.channel.k8s.io', 'v4.channel.k8s.io'],
  spdy: ['v4.channel.k8s.io'],
};
/** The protocols in which ports are forwarded; SPDY can be carried in a WebSocket. */
const FORWARDING: Carriers = { webSocket: ['v4.channel.k8s.io'], spdy: ['portforward.k8s.io'] };

/** The errors of streams that reach nothing, by their subresources. */
const STREAMS = {
  exec: 'no command can be executed in it',
  attach: 'there is no process to attach to',
  portforward: 'nothing listens on its ports',
} as const;

/**
 * The handler of `kubectl exec`, `attach`, `cp` and `port-forward`: connects the client with what a test has set for a pod, or answers with
 * an error that says that pods are simulated. Other errors are worded as by the real server.
 */
export class SimulatedStreamHandler implements SubresourceHandler {
  readonly key: string;

  constructor(
    private readonly stream: keyof typeof STREAMS,
    private readonly machinery: ObjectMachinery,
    private readonly processes: SimulatedProcesses,
    private readonly admission: SubresourceAdmission,
  ) {
    this.key = `pods/${stream}`;
  }

  async handle(asked: ResourceRequest): Promise<ApiResponse> {
    const { request, info, target, served, assertAllowed } = asked;
    if (info.verb !== 'get' && info.verb !== 'create') throw methodNotAllowed();
    // Browsers and WebSockets can only GET, but what they do is no reading.
    if (info.verb === 'get' && request.headers['upgrade'] !== undefined) assertAllowed('create');
    const options = await this.admission.connect(asked, this.optionsOf(asked));
    const { object: pod } = this.machinery.get(served, target.namespace, target.name);
    const isOfPod = this.stream === 'portforward';
    const container = isOfPod ? '' : containerOf(pod, textOf(options['container']));
    if (!mapping(pod['spec'])['nodeName']) throw badRequest(`pod ${target.name} does not have a host assigned`);
    const answer = isOfPod
      ? this.forward(pod, request, options)
      : this.run(pod, container, request, info.query, options);
    if (answer) return answer;
    const what = `${container ? `container ${container} of ` : ''}pod ${target.namespace}/${target.name}`;
    throw badRequest(`${what} is simulated by embedded-kube: ${STREAMS[this.stream]}`);
  }

  private optionsOf(asked: ResourceRequest): ConnectOptions {
    if (this.stream === 'portforward') return forwardOptions(asked);
    return commandOptions(this.stream === 'exec' ? 'PodExecOptions' : 'PodAttachOptions', asked);
  }

  private forward(pod: KubeObject, request: ApiRequest, options: ConnectOptions): ApiResponse | undefined {
    if (!this.processes.hasPorts(pod)) return undefined;
    const forwarder = new PortForwarder(pod, this.processes);
    const ports = (options['ports'] ?? []) as readonly number[];
    return streamUpgrade(request, FORWARDING, ({ spdy, webSocket }) => {
      if (spdy) forwarder.forwardSpdy(spdy);
      else forwarder.forwardWebSocket(webSocket, ports);
    });
  }

  private run(
    pod: KubeObject,
    container: string,
    request: ApiRequest,
    query: URLSearchParams,
    options: ConnectOptions,
  ): ApiResponse | undefined {
    const command = (options['command'] ?? []) as readonly string[];
    const script = this.processes.answerTo(this.stream as 'exec' | 'attach', pod, container, command);
    if (script === undefined) return undefined;
    const tty = options['tty'] === true;
    const choice: StreamChoice = {
      stdin: options['stdin'] === true,
      stdout: queryFlag(query, 'stdout') ?? false,
      stderr: !tty && (queryFlag(query, 'stderr') ?? false),
      tty,
    };
    const process = { pod, container, command, tty };
    return streamUpgrade(request, COMMANDS, async ({ spdy, webSocket }) => {
      const streams = spdy ? await spdyStreams(spdy, choice) : webSocketStreams(webSocket, choice);
      await runProcess(script, process, streams);
    });
  }
}

/** The handler of requests to pods, services and nodes through the server: answers with an error that says that nothing listens there. */
export class SimulatedProxyHandler implements SubresourceHandler {
  readonly key: string;

  /** @param plural `pods`, `services`, `nodes` */
  constructor(
    plural: string,
    private readonly machinery: ObjectMachinery,
    private readonly admission: SubresourceAdmission,
  ) {
    this.key = `${plural}/proxy`;
  }

  async handle(request: ResourceRequest): Promise<never> {
    const { target, served } = request;
    await this.admission.connect(request, proxyOptions(`${served.resource.kind}ProxyOptions`, request));
    // The name can be preceded by a scheme and followed by a port: https:web:443.
    const [first = '', second] = target.name.split(':');
    this.machinery.get(served, target.namespace, second !== undefined && /^https?$/.test(first) ? second : first);
    const reason = `${served.resource.singular} ${target.name} is simulated by embedded-kube: nothing listens there`;
    throw new StatusError(503, 'ServiceUnavailable', `error trying to reach service: ${reason}`);
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value ? value : undefined;
}
