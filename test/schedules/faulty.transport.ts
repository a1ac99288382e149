import type { Clock, KubeRequest, KubeResponse, KubeTransport } from 'nestjs-kopf';
import { errorResponse } from '../support/operators/operator.harness.js';
import { pause } from './handler.script.js';
import type { SyncPoints } from './sync.points.js';
import { isWatch, isWrite, type RequestFault, type RequestFaults } from './request.faults.js';
import { orAborted, reset, FaultyWatch, type SilenceEnd } from './faulty.watch.js';

/** Limits the writes that are made while no virtual time passes: more of them are an endless loop. */
const INSTANT_LIMIT = 300;
/** A promise of its own for each request: one for all would keep whatever has waited for it. */
const never = (): Promise<never> => new Promise(() => undefined);
const REASONS: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  422: 'Invalid',
  429: 'TooManyRequests',
};

/** The way from an operator to its server, on which everything goes wrong that the schedule says. */
export class FaultyTransport implements KubeTransport {
  /** Counts the requests for each object in the current minute, by the object's path. */
  private readonly pace = new Map<string, { minute: number; count: number }>();
  /** The most requests that there were for one object in a minute. */
  busiest = 0;
  private instant = { now: -1, count: 0 };
  private readonly watches = new Set<FaultyWatch>();

  constructor(
    private readonly cluster: KubeTransport,
    private readonly clock: Clock,
    private readonly syncPoints: SyncPoints,
    private readonly faults: RequestFaults,
    /** Hears of writes that were on their way for so long that the operator had given them up, by the objects that they have left. */
    private readonly onLateWrite: (object: unknown) => void,
  ) {}

  async request(request: KubeRequest): Promise<KubeResponse> {
    if (!isWrite(request)) return this.exchange(request);
    this.measure(request.path);
    // Time never goes on in a loop without any pause: it ends here, and is seen in the pace.
    if (this.isLooping()) return never();
    await this.syncPoints.reach('before-write');
    request.signal?.throwIfAborted();
    const response = await this.exchange(request);
    await this.syncPoints.reach('after-write');
    return response;
  }

  close(): Promise<void> {
    return this.cluster.close();
  }

  /** Lets all watches that are open fall silent. Returns how many they are. */
  silenceWatches(seconds: number, then: SilenceEnd): number {
    for (const watch of this.watches) watch.fallSilent(seconds, then);
    return this.watches.size;
  }

  private async exchange(request: KubeRequest): Promise<KubeResponse> {
    const fault = this.faults.take(request);
    if (!fault) return this.send(request);
    if (fault.do === 'reject')
      return errorResponse(fault.status, REASONS[fault.status] ?? 'Failure', 'It was rejected at random.');
    if (fault.phase === 'request') await this.interrupt(fault, request.signal);
    const isLate = isWrite(request) && request.isFenced?.();
    const response = await this.send(request);
    if (isLate) return this.takeLate(response);
    if (fault.phase === 'answer') await this.interrupt(fault, request.signal);
    return fault.do === 'lose' && fault.phase === 'body' ? withoutBody(response) : response;
  }

  /** Nobody waits for the response any more. */
  private async takeLate(response: KubeResponse): Promise<KubeResponse> {
    if (response.status < 300) this.onLateWrite(JSON.parse(await response.text()));
    throw reset();
  }

  private async interrupt(fault: Exclude<RequestFault, { do: 'reject' }>, signal?: AbortSignal): Promise<void> {
    if (fault.do === 'lose') throw reset();
    await orAborted(fault.do === 'slow' ? pause(this.clock, fault.seconds * 1000) : never(), signal);
  }

  private async send(request: KubeRequest): Promise<KubeResponse> {
    if (!isWatch(request)) return this.cluster.request(request);
    const watch = new FaultyWatch(this.clock, () => this.watches.delete(watch));
    const signal = request.signal ? AbortSignal.any([request.signal, watch.signal]) : watch.signal;
    const response = await this.cluster.request({ ...request, signal });
    this.watches.add(watch);
    return {
      status: response.status,
      headers: response.headers,
      text: () => response.text(),
      chunks: () => watch.pass(response.chunks(), signal),
    };
  }

  private isLooping(): boolean {
    const now = this.clock.monotonic();
    this.instant = { now, count: this.instant.now === now ? this.instant.count + 1 : 1 };
    return this.instant.count > INSTANT_LIMIT;
  }

  private measure(path: string): void {
    const key = path.replace(/\/status$/, '');
    const minute = Math.floor(this.clock.monotonic() / 60_000);
    const measured = this.pace.get(key);
    const count = measured?.minute === minute ? measured.count + 1 : 1;
    this.pace.set(key, { minute, count });
    this.busiest = Math.max(this.busiest, count);
  }
}

/** A response that breaks off after its head: what was asked for has happened. */
function withoutBody({ status, headers }: KubeResponse): KubeResponse {
  return {
    status,
    headers,
    text: () => Promise.reject(reset()),
    // eslint-disable-next-line require-yield
    chunks: async function* () {
      throw reset();
    },
  };
}
