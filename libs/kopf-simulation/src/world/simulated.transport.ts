import { FencedRequestError } from 'nestjs-kopf/tooling';
import { type ActivityTracker, neverSettled } from 'nestjs-kopf/testing';
import { type KubeRequest, type KubeResponse, type KubeTransport, type Random, sleep } from 'kube-common';
import type { FaultEngine, ProcessFault } from '../faults/fault.engine.js';
import { refusedConnection, resetConnection } from '../faults/fault.response.js';
import type { PaceOracle } from '../oracles/pace.oracle.js';
import { isWatch, isWrite, placeOf } from '../faults/request.place.js';
import type { WorldObjects } from './world.objects.js';
import type { WorldProcess } from './world.process.js';

/** The header by which changes are assigned to their requests. */
export const REQUEST_HEADER = 'x-simulated-request';
/** The longest delay of a request, an answer, or an event, in milliseconds. */
const LONGEST_DELAY = 40;

/** The longest pause before a watch is opened again, in milliseconds. */
const REOPENING_LIMIT = 61_000;

/** The statuses of requests that can never succeed: they are malformed, forbidden, too large, or invalid. */
const REJECTIONS: ReadonlySet<number> = new Set([400, 403, 413, 422]);

/** The part of the `accept` header that requests only the metadata of objects. */
const METADATA = 'as=PartialObjectMetadata';

/** The watches of the same objects that an operator keeps open: often one, but it can watch namespaces also for its own purposes. */
interface WantedWatch {
  open: number;
  /** The largest number of watches that were open at a time. */
  most: number;
  /**
   * The number of watches that were lost and will be opened again. Watches that the operator has ended itself may stay closed, or be opened after a
   * pause.
   */
  lost: number;
  /** Whether the first attempt to open it again has failed. */
  hasFailed?: boolean;
  /** The time at which it was last open, or was to be opened, in milliseconds. */
  endedAt: number;
}

/** The parts of a run that handle the requests of an operator. */
export interface TransportTargets {
  readonly userAgent: string;
  readonly activity: ActivityTracker;
  readonly faults: FaultEngine;
  readonly pace: PaceOracle;
  readonly process: WorldProcess;
  /** The numbers of the requests that have changed something. */
  readonly effective: Set<string>;
  /** The randomness of delays; absent without delays. */
  readonly delays?: Random;
  /** The existing objects. */
  readonly objects: Pick<WorldObjects, 'findNamed'>;
  /** Crashes or freezes the process. */
  strike(fault: ProcessFault): void;
  /** Called when a request has failed, which the operator may repeat after a pause. */
  onFailure(): void;
  /** Called when the API server rejects a write for what it wants, and not as of a fault. */
  onRejectedWrite(): void;
  /** Called when a watch is open again after failures: the operator then sees the changes in between. */
  onReopened(): void;
  nextNumber(): string;
}

/** The transport of an operator, which injects the faults of the plan into requests and watches. */
export class SimulatedTransport implements KubeTransport {
  /** The watches that the operator wants, by their paths. */
  private readonly watches = new Map<string, WantedWatch>();
  private open = 0;
  private held = 0;

  constructor(
    private readonly server: KubeTransport,
    private readonly targets: TransportTargets,
  ) {}

  /**
   * Whether an answer is still to come, or a watch is still to be opened again.
   *
   * @param isPaused whether the operator is paused: it opens lost watches when it resumes.
   */
  isBusy(isPaused: () => boolean): boolean {
    if (this.open > 0) return true;
    const now = this.targets.process.monotonic();
    for (const [path, { open, most, lost, endedAt }] of this.watches) {
      const isRecent = open < most && now < endedAt + REOPENING_LIMIT;
      // A watch in a deleted namespace is given up, even if it was lost before.
      const isExpected = isRecent || (lost > 0 && !isPaused() && this.isInUse(path));
      if (isExpected && !this.gateOf(path)) return true;
    }
    return false;
  }

  /** Whether a request waits for the end of a watch partition. */
  get isHeld(): boolean {
    return this.held > 0;
  }

  /** The number of requests whose answer is still to come. */
  get openRequests(): number {
    return this.open + this.held;
  }

  /** The number of open watches, by path with the selectors. */
  get openWatches(): ReadonlyMap<string, number> {
    return new Map([...this.watches].map(([path, { open }]) => [path, open]));
  }

  /** The resources that the operator watches. */
  get watched(): readonly string[] {
    return [...this.watches.keys()].map((path) => placeOf({ method: 'GET', path, headers: {} })?.resource ?? '');
  }

  async request(request: KubeRequest): Promise<KubeResponse> {
    const { faults, process } = this.targets;
    const place = placeOf(request);
    const path = isWatch(request) ? pathOf(request) : undefined;
    // Lists pass, as they can be those of handlers. A watch that is held continues from a version that is too old by then, and leads to a new list.
    const gate = path && place && faults.gateOf(place.resource);
    if (path && !this.watches.has(path))
      this.watches.set(path, { open: 0, most: 1, lost: 1, endedAt: process.monotonic() });
    try {
      if (gate) await this.hold(gate, request.signal);
      const response = await this.answer(request, path);
      if (path && response.status >= 300) this.watches.get(path)!.hasFailed = true;
      return response;
    } catch (error) {
      if (path) this.watches.get(path)!.hasFailed = true;
      throw error;
    } finally {
      // The operator has paused, for example, and never opens this watch; or it opens the watch after a while, if it has given up waiting.
      if (path && request.signal?.aborted) this.giveUp(this.watches.get(path)!);
    }
  }

  close(): Promise<void> {
    return this.server.close();
  }

  private async answer(request: KubeRequest, path: string | undefined): Promise<KubeResponse> {
    const { activity, process } = this.targets;
    const end = activity.begin();
    this.open += 1;
    try {
      await process.thawed;
      await this.delay(request.signal);
      this.assertConnected();
      const response = this.refuse(request) ?? (await (isWrite(request) ? this.write(request) : this.read(request)));
      await this.delay(request.signal);
      await process.thawed;
      return path && response.status < 300 ? this.follow(path, response, request.signal) : response;
    } finally {
      this.open -= 1;
      end();
    }
  }

  /** Rejects a request whose credentials the server does not accept at present. */
  private refuse(request: KubeRequest): KubeResponse | undefined {
    const rejection = this.targets.faults.beforeRequest(request);
    if (rejection) this.targets.onFailure();
    return rejection;
  }

  private read(request: KubeRequest): Promise<KubeResponse> | KubeResponse {
    const rejection = this.targets.faults.beforeRead(request);
    if (!rejection) return this.send(request);
    this.targets.onFailure();
    return rejection;
  }

  private async hold(gate: Promise<void>, signal?: AbortSignal): Promise<void> {
    this.held += 1;
    try {
      await orAborted(gate, signal);
    } finally {
      this.held -= 1;
    }
  }

  private async write(request: KubeRequest): Promise<KubeResponse> {
    const { faults, pace, effective, process, strike, nextNumber } = this.targets;
    // Time would never advance in a loop without any pause. The loop ends here, and is a finding.
    if (pace.isLooping) return neverSettled();
    const { fault: before, response: rejection } = (await faults.beforeWrite(request)) ?? {};
    if (before) {
      strike(before);
      if (process.isDead) return neverSettled();
      await process.thawed;
    }
    // The request may have waited in the process. The real transport checks again before it sends, too.
    request.signal?.throwIfAborted();
    if (request.isFenced?.()) throw new FencedRequestError();
    if (rejection) {
      this.targets.onFailure();
      return rejection;
    }
    const number = nextNumber();
    const response = await this.send(request, { [REQUEST_HEADER]: number });
    if (isRejection(request, response)) this.targets.onRejectedWrite();
    if (!effective.delete(number)) return response;
    pace.note(request);
    const fault = faults.afterWrite();
    if (fault?.kind === 'lost-answer') {
      this.targets.onFailure();
      throw resetConnection();
    }
    if (fault) strike(fault);
    return response;
  }

  private assertConnected(): void {
    if (!this.targets.faults.isRefusing) return;
    this.targets.onFailure();
    throw refusedConnection();
  }

  private send(request: KubeRequest, headers?: Readonly<Record<string, string>>): Promise<KubeResponse> {
    return this.server.request({
      ...request,
      headers: { ...request.headers, 'user-agent': this.targets.userAgent, ...headers },
    });
  }

  private follow(path: string, response: KubeResponse, signal?: AbortSignal): KubeResponse {
    return { ...response, text: () => response.text(), chunks: () => this.pass(path, response, signal) };
  }

  private async *pass(path: string, response: KubeResponse, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const watch = this.watches.get(path)!;
    watch.open += 1;
    watch.most = Math.max(watch.most, watch.open);
    watch.lost = Math.max(0, watch.lost - 1);
    // Watches that end regularly are opened again all the time, and show nothing new.
    if (watch.hasFailed) this.targets.onReopened();
    watch.hasFailed = false;
    try {
      for await (const chunk of response.chunks()) {
        this.targets.activity.record();
        if (this.targets.delays) await this.deliverLate(signal);
        await this.targets.process.thawed;
        yield chunk;
      }
    } finally {
      watch.open -= 1;
      // A watch is also lost if the operator stops reading after an error.
      if (!signal?.aborted) watch.lost += 1;
      watch.endedAt = this.targets.process.monotonic();
    }
  }

  private async deliverLate(signal?: AbortSignal): Promise<void> {
    this.open += 1;
    try {
      await this.delay(signal);
    } finally {
      this.open -= 1;
    }
  }

  private giveUp(watch: WantedWatch): void {
    watch.lost = Math.max(0, watch.lost - 1);
    watch.endedAt = this.targets.process.monotonic();
  }

  private isInUse(path: string): boolean {
    const [, namespace] = /\/namespaces\/([^/]+)\//.exec(path) ?? [];
    return namespace === undefined || this.targets.objects.findNamed('namespaces', undefined, namespace) !== undefined;
  }

  private gateOf(path: string): Promise<void> | undefined {
    const place = placeOf({ method: 'GET', path, headers: {} });
    return place && this.targets.faults.gateOf(place.resource);
  }

  private async delay(signal?: AbortSignal): Promise<void> {
    const { delays, process } = this.targets;
    if (!delays) return;
    await sleep(process, (delays.next() * LONGEST_DELAY) / 1000, signal);
    signal?.throwIfAborted();
  }
}

/** Whether the API server rejects what a request wants: it is invalid or denied, too large, or in a namespace that does not exist. */
function isRejection({ method }: KubeRequest, { status }: KubeResponse): boolean {
  return REJECTIONS.has(status) || (status === 404 && method === 'POST');
}

/** The key of a watch: its path with the selectors, and the form of the objects, as relations are watched by metadata only. */
function pathOf({ path, headers }: KubeRequest): string {
  const [collection, query = ''] = path.split('?', 2);
  const parts = query.split('&').filter((each) => each.includes('Selector='));
  if (headers.accept?.includes(METADATA)) parts.push(METADATA);
  return `${collection}?${parts.join('&')}`;
}

/** Waits for the promise, but not longer than until the signal is aborted. */
function orAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    void promise.then(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
  });
}
