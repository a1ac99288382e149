import type { KubeObject } from '../../resources/kube-object.js';
import type { Clock } from 'kube-common';
import type { LogPart } from './log.printer.js';
import { LogStamps, type LogStamp } from './log.stamps.js';
import { matchesPod, type PodMatch } from './pod.match.js';

/** A request for the log of a container. */
export interface PodLogRequest {
  readonly pod: KubeObject;
  readonly container: string;
  /** Whether to read the log of the run before the last restart. */
  readonly previous: boolean;
}

/** A client that follows the log of a container. */
export interface LogFollower {
  readonly pod: KubeObject;
  readonly container: string;
  /** Called with what is printed from now on. */
  take(part: LogPart): void;
  /** Called when the container has ended. */
  end(): void;
}

type LogText = string | ((request: PodLogRequest) => string);

interface SetLog {
  /** The position in the order in which logs were set. */
  readonly order: number;
  readonly stamp: LogStamp;
  readonly match: PodMatch;
  readonly container?: string;
  /** The text of a whole log; later ones win. */
  readonly text?: LogText;
  /** The text that was added to a log. */
  readonly printed?: string;
}

interface Rotation {
  readonly order: number;
  readonly match: PodMatch;
  readonly container: string | undefined;
}

/** The logs that a test sets for simulated pods, and the clients that follow them. */
export class SimulatedLogs {
  private readonly logs: SetLog[] = [];
  private readonly followers = new Set<LogFollower>();
  private readonly rotations: Rotation[] = [];
  /** The ends of the earlier runs of the containers, by the uids of their pods. */
  private readonly restarts = new Map<string, number[]>();
  private readonly stamps: LogStamps;
  private order = 0;

  constructor(clock: Clock) {
    this.stamps = new LogStamps(clock);
  }

  set(match: PodMatch, text: LogText, container?: string): () => void {
    const stamp = this.stamps.take(typeof text === 'string' ? countLines(text) : 1);
    const entry: SetLog = { order: this.order++, stamp, match, text, ...(container && { container }) };
    this.logs.push(entry);
    return () => {
      const index = this.logs.indexOf(entry);
      if (index >= 0) this.logs.splice(index, 1);
    };
  }

  print(match: PodMatch, printed: string, container?: string): void {
    const stamp = this.stamps.take(countLines(printed));
    this.logs.push({ order: this.order++, stamp, match, printed, ...(container && { container }) });
    for (const follower of this.followersOf(match, container)) follower.take({ text: printed, stamp });
  }

  /** Lets logs begin with a new file: what was printed before cannot be read any more. Clients that follow the log may get nothing more. */
  rotate(match: PodMatch, container: string | undefined, losesFollowers: boolean): void {
    this.rotations.push({ order: this.order++, match, container });
    if (!losesFollowers) return;
    for (const follower of this.followersOf(match, container)) this.followers.delete(follower);
  }

  /** Returns the log of a container: what was set last, with all that was printed after it; undefined if there is neither. */
  partsOf(request: PodLogRequest): readonly LogPart[] | undefined {
    const { pod, container, previous } = request;
    const own = this.logs.filter((each) => (each.container ?? container) === container && matchesPod(each.match, pod));
    if (own.length === 0) return undefined;
    const last = own.findLastIndex(({ text }) => text !== undefined);
    const [from, to] = this.rangeOf(request);
    const begin = own[last];
    const printed = own.slice(last + 1).filter(({ order }) => order >= from && order < to);
    const text = typeof begin?.text === 'function' ? begin.text(request) : begin?.text;
    // Without a restart, what is printed belongs to the present run.
    const hasNone = previous && to === 0;
    return [
      ...(text && begin && begin.order >= this.rotatedAt(request) ? [{ text, stamp: begin.stamp }] : []),
      ...(hasNone ? [] : printed.map(({ printed: added = '', stamp }) => ({ text: added, stamp }))),
    ];
  }

  /** Adds a follower of a log. @returns the function that removes it */
  follow(follower: LogFollower): () => void {
    this.followers.add(follower);
    return () => void this.followers.delete(follower);
  }

  /** Ends the following of a pod whose containers have ended. */
  end({ metadata }: KubeObject): void {
    for (const follower of this.followers) {
      if (follower.pod.metadata.uid !== metadata.uid) continue;
      this.followers.delete(follower);
      follower.end();
    }
  }

  /** Begins the logs of another run of the pod's containers. */
  restart({ metadata: { uid = '' } }: KubeObject): void {
    const restarts = this.restarts.get(uid);
    if (restarts) restarts.push(this.order);
    else this.restarts.set(uid, [this.order]);
  }

  /** Forgets a pod that is gone. */
  forget({ metadata: { uid = '' } }: KubeObject): void {
    this.restarts.delete(uid);
  }

  /** Returns the orders of what was printed in a run, and is not rotated away. */
  private rangeOf(request: PodLogRequest): readonly [from: number, to: number] {
    const restarts = this.restarts.get(request.pod.metadata.uid ?? '') ?? [];
    const [from, to] = request.previous
      ? [restarts.at(-2) ?? 0, restarts.at(-1) ?? 0]
      : [restarts.at(-1) ?? 0, Infinity];
    return [Math.max(from, this.rotatedAt(request)), to];
  }

  private rotatedAt({ pod, container }: PodLogRequest): number {
    const last = this.rotations.findLast(
      (each) => (each.container ?? container) === container && matchesPod(each.match, pod),
    );
    return last?.order ?? -1;
  }

  private followersOf(match: PodMatch, container: string | undefined): readonly LogFollower[] {
    return [...this.followers].filter(
      (each) => (container ?? each.container) === each.container && matchesPod(match, each.pod),
    );
  }
}

function countLines(text: string): number {
  return text.split('\n').length;
}
