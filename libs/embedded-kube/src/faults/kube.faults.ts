// faults: what a real server cannot do on demand: errors, delays, broken connections, damaged watches.
// Wraps the server's RequestHandler, so that no other folder knows of faults.
// May import: common, errors, machinery, server.

import { inspect } from 'node:util';
import type { StatusError } from '../errors/status.error.js';
import type { LaggingMember } from '../machinery/lagging.member.js';
import { ActiveLag } from './active.lag.js';
import { matchesLine, matchesRequest } from './fault.matching.js';
import { ActiveFault } from './active.fault.js';
import type {
  Fault,
  FaultLimit,
  FaultPhase,
  FaultRequest,
  Lag,
  LagOptions,
  LineDamage,
  LineMatch,
  RejectionOptions,
  RequestMatch,
  WatchDamage,
} from './fault.types.js';
import type { FaultyServer, InspectedLine, RequestEffect } from './faulty.server.js';
import type { FaultyStream } from './faulty.stream.js';
import { createStatusError } from './status-error.factory.js';

/** The number of faults after which those that were met are forgotten. */
const RECORDED = 1000;

/** The parts of the server that faults affect besides requests. */
export interface FaultTargets {
  /** Creates a member of the cluster that stays behind. @throws RangeError if it cannot be at the version */
  readonly createMember: (version?: string) => LaggingMember;
  readonly expireHistory: () => void;
  /** Stops listening, and breaks all connections. */
  readonly disconnect: () => Promise<void>;
  /** Listens on the same port as before. */
  readonly reconnect: () => Promise<void>;
}

/**
 * Injects faults between an API server and its clients on demand: over HTTPS and in the same process alike, on the server's clock.
 *
 * Each request meets at most one fault: of those that match it, the one that was injected first. So does each line of a watch.
 *
 * @example
 * const fault = kube.faults.reject(429, { verb: 'patch', resource: 'pods', times: 5, retryAfter: 2 });
 * kube.faults.reject(500, { body: /"status"/, message: 'etcdserver: request is too large', seconds: 60 });
 * kube.faults.cut('after', { verb: 'create' });          // the object exists, but its creator gets no answer
 * kube.faults.damageLines('cut', { resource: 'pods' });  // the next line of a watch breaks off in its middle
 * await kube.faults.goDown();
 * await kube.faults.comeBack();
 */
export class KubeFaults {
  /** All faults, but for most of those that were met. */
  private readonly injected = new Set<ActiveFault<any, unknown>>();

  constructor(
    private readonly server: FaultyServer,
    private readonly targets: FaultTargets,
  ) {}

  /** Descriptions of the faults that nothing has met so far, also of those that are over: they show nothing. The server warns of them when it stops. */
  get unmet(): readonly string[] {
    return [...this.injected].filter(({ hits }) => hits === 0).map(({ description }) => description);
  }

  /** Whether the server is down. */
  get isDown(): boolean {
    return this.server.isDown;
  }

  /** Answers the next matching requests with a status, as the real server words it; they have no effect. */
  reject(status: number, options: RequestMatch & FaultLimit & RejectionOptions = {}): Fault {
    const { retryAfter, reason, message, causes, ...match } = options;
    const error = createStatusError(status, { retryAfter, reason, message, causes } as RejectionOptions);
    return this.add(match, { kind: 'answer', response: toResponse(error) });
  }

  /** Lets the next matching requests wait before they are looked at. @param seconds on the server's clock */
  delay(seconds: number, match: RequestMatch & FaultLimit = {}): Fault {
    return this.add(match, { kind: 'delay', milliseconds: seconds * 1000 });
  }

  /** Breaks the connections of the next matching requests. */
  cut(phase: FaultPhase, match: RequestMatch & FaultLimit = {}): Fault {
    return this.add(match, { kind: 'cut', phase });
  }

  /** Lets the connections of the next matching requests fall silent; they stay open until the client closes them. */
  stall(phase: FaultPhase, match: RequestMatch & FaultLimit = {}): Fault {
    return this.add(match, { kind: 'stall', phase });
  }

  /** Calls a function just before the next matching requests are processed, to write what makes them conflict, for example. */
  before(action: (request: FaultRequest) => void | Promise<void>, match: RequestMatch & FaultLimit = {}): Fault {
    return this.add(match, { kind: 'call', action });
  }

  /** Damages the next matching lines, also of watches that are open already. */
  damageLines(damage: LineDamage, options: LineMatch & FaultLimit = {}): Fault {
    const { times, seconds, ...match } = options;
    const isMet = ({ watch, line }: InspectedLine): boolean => matchesLine(match, watch, line);
    const description = `damageLines ${describe(damage)} for ${describe(match)}`;
    const fault = new ActiveFault(isMet, damage, limitOf(times, seconds), this.server.clock, description);
    this.server.lineFaults.push(fault);
    return this.record(fault);
  }

  /** Damages the matching watches that are open now. @returns their number */
  damageWatches(damage: WatchDamage, match: RequestMatch = {}): number {
    const streams = this.watchesOf(match);
    for (const stream of streams) {
      if (typeof damage === 'string') stream.finish(damage);
      else stream.finish('end', errorLine(createStatusError(damage.error, damage)));
    }
    return streams.length;
  }

  /** Damages the matching logs that are followed now. @returns their number */
  damageLogs(damage: 'cut' | 'end' | 'stall', match: RequestMatch = {}): number {
    const streams = [...this.server.open]
      .filter(([, request]) => request.subresource === 'log' && matchesRequest(match, request))
      .map(([stream]) => stream);
    for (const stream of streams) stream.finish(damage);
    return streams.length;
  }

  /**
   * Has matching reads answered by another member of the cluster, whose watch cache stays behind while writes continue.
   *
   * As on a real member: watches see nothing new, those that are open already included; gets and lists with `resourceVersion=0`, or with a
   * version that the member has, are answered from its state; those with a later version, and streamed lists, wait for three seconds, and
   * are then refused with 504 (`Too large resource version`). Lists without a version wait as long, and are then answered by the newest
   * state, which gets without a version, and all writes, have at once.
   *
   * @throws RangeError if the history does not go back to the version
   *
   * @example
   * const lag = kube.faults.lag({ userAgent: /^nestjs-kopf/, resource: 'pods' });
   * // … the operator works on what it has seen
   * lag.cancel();
   */
  lag(match: RequestMatch = {}, { at, until }: LagOptions = {}): Lag {
    const lag = new ActiveLag(match, this.targets.createMember(at), this.watchesOf(match));
    const lags = this.server.lags.filter((each) => !each.isOver);
    this.server.lags = [...lags, lag];
    const cancel = (): void => lag.cancel();
    if (until instanceof AbortSignal) {
      if (until.aborted) cancel();
      until.addEventListener('abort', cancel, { once: true });
    } else void until?.then(cancel, cancel);
    return lag;
  }

  /**
   * Forgets the history, so that watches and lists from earlier versions are answered with 410.
   *
   * @param match makes it happen just before the next matching requests; without it, it happens now
   */
  expireHistory(match?: RequestMatch & FaultLimit): Fault | undefined {
    if (match) return this.before(() => this.targets.expireHistory(), match);
    this.targets.expireHistory();
    return undefined;
  }

  /** Goes down as if it crashed: breaks all connections, and takes no new ones until it comes back. What was written stays. */
  async goDown(): Promise<void> {
    if (this.isDown) return;
    this.server.isDown = true;
    for (const stream of this.server.open.keys()) stream.finish('cut');
    await this.targets.disconnect();
  }

  /** Starts the server on the same port again. @throws Error if another process has taken the port */
  async comeBack(): Promise<void> {
    if (!this.isDown) return;
    await this.targets.reconnect();
    this.server.isDown = false;
  }

  /** Cancels all faults that wait for requests and lines, and all lags. */
  clear(): void {
    for (const lag of this.server.lags.splice(0)) lag.cancel();
    for (const faults of [this.server.requestFaults, this.server.lineFaults]) {
      for (const fault of faults.splice(0)) fault.cancel();
    }
  }

  /** Returns the matching watches that are open now. */
  private watchesOf(match: RequestMatch): FaultyStream[] {
    return [...this.server.open]
      .filter(([, { verb }]) => verb === 'watch')
      .filter(([, watch]) => matchesRequest(match, watch))
      .map(([stream]) => stream);
  }

  private add({ times, seconds, ...match }: RequestMatch & FaultLimit, effect: RequestEffect): Fault {
    const isMet = (request: FaultRequest): boolean => matchesRequest(match, request);
    const description = `${describeEffect(effect)} for ${describe(match)}`;
    const fault = new ActiveFault(isMet, effect, limitOf(times, seconds), this.server.clock, description);
    this.server.requestFaults.push(fault);
    return this.record(fault);
  }

  private record(fault: ActiveFault<any, unknown>): Fault {
    if (this.injected.size >= RECORDED) {
      for (const each of this.injected) if (each.hits > 0) this.injected.delete(each);
    }
    this.injected.add(fault);
    return fault;
  }
}

/** Describes an effect by the name of the method that injects it. */
function describeEffect(effect: RequestEffect): string {
  switch (effect.kind) {
    case 'answer':
      return `reject ${effect.response.status}`;
    case 'delay':
      return `delay ${effect.milliseconds / 1000}`;
    case 'cut':
    case 'stall':
      return `${effect.kind} '${effect.phase}'`;
    case 'call':
      return 'before';
  }
}

/** Describes a condition as it is written: `{ userAgent: /^my-operator/ }`. */
function describe(condition: unknown): string {
  return inspect(condition, { breakLength: Infinity, compact: true });
}

function limitOf(times: number | undefined, seconds: number | undefined): FaultLimit {
  return { ...(times !== undefined && { times }), ...(seconds !== undefined && { seconds }) };
}

function toResponse(error: StatusError) {
  const after = error.details?.retryAfterSeconds;
  const headers = { 'content-type': 'application/json', ...(after !== undefined && { 'retry-after': String(after) }) };
  return { status: error.code, headers, body: JSON.stringify(error.toStatus()) };
}

function errorLine(error: StatusError): Uint8Array {
  return Buffer.from(`${JSON.stringify({ type: 'ERROR', object: error.toStatus() })}\n`);
}
