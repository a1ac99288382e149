import type { SimulatedPods } from '../../controllers/nodes/simulated.pods.js';
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

/** Gives the logs of pods: those that a test has set, as nothing runs. */
export class LogHandler implements SubresourceHandler {
  readonly key = 'pods/log';

  constructor(
    private readonly machinery: ObjectMachinery,
    private readonly pods: SimulatedPods,
  ) {}

  handle({ info, target, served }: ResourceRequest): ApiResponse {
    if (info.verb !== 'get') throw methodNotAllowed();
    const { query } = info;
    const errors = ['tailLines', 'limitBytes', 'sinceSeconds'].flatMap((name) => limitErrors(name, query.get(name)));
    const pod = this.machinery.get(served, target.namespace, target.name).object;
    if (errors.length > 0) throw invalid({ group: '', name: 'PodLogOptions' }, target.name, errors);
    const container = containerOf(pod, query.get('container') ?? undefined);
    const text = this.pods.logs.textOf({ pod, container, previous: queryFlag(query, 'previous') ?? false });
    if (queryFlag(query, 'follow') && isRunning(pod)) {
      const begin = lastLines(text ?? '', query.get('tailLines'));
      return { status: 200, headers: TEXT, body: this.follow(pod, container, begin) };
    }
    if (text === undefined) return { status: mapping(pod['spec'])['nodeName'] ? 200 : 204, headers: TEXT, body: '' };
    const body = lastBytes(lastLines(text, query.get('tailLines')), query.get('limitBytes'));
    return { status: 200, headers: TEXT, body };
  }

  /** The log so far, then what is printed, until the containers end or the client goes. */
  private follow(pod: KubeObject, container: string, begin: string): WatchStream {
    const stream: WatchStream = new WatchStream(() => release());
    const take = (text: string): void => stream.push(Buffer.from(text));
    const release = this.pods.logs.follow({ pod, container, take, end: () => stream.end() });
    if (begin) stream.push(Buffer.from(begin), false);
    return stream;
  }
}

/** Tells whether anything may still be printed. */
function isRunning(pod: KubeObject): boolean {
  const phase = mapping(pod['status'])['phase'];
  return mapping(pod['spec'])['nodeName'] !== undefined && phase !== 'Succeeded' && phase !== 'Failed';
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
