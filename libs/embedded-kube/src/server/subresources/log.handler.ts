import type { SimulatedPods } from '../../controllers/nodes/simulated.pods.js';
import { type LogPart, LogPrinter } from '../../controllers/nodes/log.printer.js';
import type { Clock } from 'kube-common';
import { mapping } from '../../common/json.values.js';
import { invalidField, type FieldError } from '../../errors/field.error.js';
import { badRequest, invalid, methodNotAllowed } from '../../errors/status.errors.js';
import type { KubeObject } from '../../resources/kube-object.js';
import type { ObjectMachinery } from '../../machinery/object.machinery.js';
import { WatchStream } from '../../machinery/watch.stream.js';
import type { ApiResponse } from '../api.request.js';
import { queryFlag } from '../request.info.js';
import type { ResourceRequest, SubresourceHandler } from '../resource.handler.js';
import { containerOf } from './pod.containers.js';

const TEXT = { 'content-type': 'text/plain' };

/** The handler of `pods/log`: sends the logs that a test has set, as no process runs. */
export class LogHandler implements SubresourceHandler {
  readonly key = 'pods/log';

  constructor(
    private readonly machinery: ObjectMachinery,
    private readonly pods: SimulatedPods,
    private readonly clock: Clock,
  ) {}

  handle({ info, target, served }: ResourceRequest): ApiResponse {
    if (info.verb !== 'get') throw methodNotAllowed();
    const { query } = info;
    const errors = ['tailLines', 'limitBytes', 'sinceSeconds'].flatMap((name) => limitErrors(name, query.get(name)));
    const since = this.sinceOf(query);
    const pod = this.machinery.get(served, target.namespace, target.name).object;
    if (errors.length > 0) throw invalid({ group: '', name: 'PodLogOptions' }, target.name, errors);
    const container = containerOf(pod, query.get('container') ?? undefined);
    const parts = this.pods.logs.partsOf({ pod, container, previous: queryFlag(query, 'previous') ?? false });
    const printer = new LogPrinter({ timestamps: queryFlag(query, 'timestamps') ?? false, since });
    const text = parts && lastLines(parts.map((part) => printer.print(part)).join(''), query.get('tailLines'));
    if (queryFlag(query, 'follow') && isRunning(pod) && !queryFlag(query, 'previous')) {
      return { status: 200, headers: TEXT, body: this.follow(pod, container, text ?? '', printer) };
    }
    if (text === undefined) return { status: mapping(pod['spec'])['nodeName'] ? 200 : 204, headers: TEXT, body: '' };
    return { status: 200, headers: TEXT, body: lastBytes(text, query.get('limitBytes')) };
  }

  /** Returns the time from which the log is shown; the API server asks the node for whole seconds. */
  private sinceOf(query: URLSearchParams): number | undefined {
    const seconds = query.get('sinceSeconds');
    if (seconds) return Math.floor(this.clock.now() / 1000 - Number(seconds)) * 1000;
    const time = query.get('sinceTime');
    if (!time) return undefined;
    const since = Date.parse(time);
    if (Number.isNaN(since)) throw badRequest(`parsing time ${JSON.stringify(time)} as "2006-01-02T15:04:05Z07:00"`);
    return Math.floor(since / 1000) * 1000;
  }

  /** Yields the log so far, then what is printed, until the containers end or the client goes. */
  private follow(pod: KubeObject, container: string, begin: string, printer: LogPrinter): WatchStream {
    const stream: WatchStream = new WatchStream(() => release());
    const take = (part: LogPart): void => {
      const text = printer.print(part);
      if (text) stream.push(Buffer.from(text));
    };
    const release = this.pods.logs.follow({ pod, container, take, end: () => stream.end() });
    if (begin) stream.push(Buffer.from(begin), false);
    return stream;
  }
}

/** Whether the pod may still print more. */
function isRunning(pod: KubeObject): boolean {
  const phase = mapping(pod['status'])['phase'];
  if (mapping(pod['spec'])['nodeName'] === undefined || phase === 'Succeeded' || phase === 'Failed') return false;
  const [status] = (mapping(pod['status'])['containerStatuses'] ?? []) as readonly { readonly state?: object }[];
  return status?.state === undefined || !isCrashed(status.state);
}

/** Whether a container waits for its restart, and prints nothing. */
function isCrashed(state: { readonly waiting?: { readonly reason?: string } }): boolean {
  return state.waiting?.reason === 'CrashLoopBackOff';
}

function lastLines(text: string, count: string | null): string {
  if (count === null) return text;
  const lines = text.split(/(?<=\n)/);
  return Number(count) > 0 ? lines.slice(-Number(count)).join('') : '';
}

function lastBytes(text: string, limit: string | null): string {
  return limit === null ? text : Buffer.from(text).subarray(0, Number(limit)).toString();
}

function limitErrors(name: string, text: string | null): FieldError[] {
  if (!text) return [];
  if (!/^-?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  const least = name === 'tailLines' ? 0 : 1;
  if (Number(text) >= least) return [];
  const rule = least ? 'must be greater than 0' : 'must be greater than or equal to 0';
  return [invalidField(name, Number(text), rule)];
}
