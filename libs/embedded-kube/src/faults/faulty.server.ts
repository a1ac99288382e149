import type { Clock } from 'kube-common';
import type { ApiRequest, ApiResponse, RequestHandler } from '../server/api.request.js';
import { toFaultRequest } from './fault.matching.js';
import type { ActiveLag } from './active.lag.js';
import { type ActiveFault, takeEffect } from './active.fault.js';
import type { FaultLine, FaultPhase, FaultRequest, LineDamage } from './fault.types.js';
import { FaultyStream, type LineInspector, ConnectionLostError } from './faulty.stream.js';

/** The effect of a fault on a request. */
export type RequestEffect =
  | { readonly kind: 'answer'; readonly response: ApiResponse }
  | { readonly kind: 'delay'; readonly milliseconds: number }
  | { readonly kind: 'cut' | 'stall'; readonly phase: FaultPhase }
  | { readonly kind: 'call'; readonly action: (request: FaultRequest) => void | Promise<void> };

/** A line with the watch that it belongs to. */
export interface InspectedLine {
  readonly watch: FaultRequest;
  readonly line: FaultLine;
}

/** A server in front of the API server, in which faults happen: it passes on requests and answers that meet none. */
export class FaultyServer implements RequestHandler {
  /** The faults that requests can meet, the oldest first. */
  readonly requestFaults: ActiveFault<FaultRequest, RequestEffect>[] = [];
  /** The faults that lines of watches can meet, the oldest first. */
  readonly lineFaults: ActiveFault<InspectedLine, LineDamage>[] = [];
  /** The lags that reads can meet, the oldest first. */
  lags: ActiveLag[] = [];
  /** Whether the server is down, and answers nothing. */
  isDown = false;
  private readonly streams = new Map<FaultyStream, FaultRequest>();

  constructor(
    private readonly server: RequestHandler,
    readonly clock: Clock,
  ) {}

  /** The long answers that are being sent, with their requests: watches, followed logs, and answers that have fallen silent. */
  get open(): ReadonlyMap<FaultyStream, FaultRequest> {
    return this.streams;
  }

  /** Answers a request. @throws ConnectionLostError if there is no answer */
  async handle(request: ApiRequest): Promise<ApiResponse> {
    if (this.isDown) throw new ConnectionLostError('ECONNREFUSED', 'The connection was refused');
    if (this.requestFaults.length === 0) return this.pass(request);
    const effect = takeEffect(this.requestFaults, toFaultRequest(request));
    return effect ? this.spoil(request, effect) : this.pass(request);
  }

  private async pass(request: ApiRequest): Promise<ApiResponse> {
    const response = await this.server.handle(this.lags.length > 0 ? this.delegate(request) : request);
    // The server went down in between: the answer does not arrive.
    if (this.isDown) {
      discard(response);
      throw reset();
    }
    const { body } = response;
    if (typeof body === 'string') return response;
    return { ...response, body: this.follow(request, body) };
  }

  /** Passes a read that meets a lag to the member that is behind. */
  private delegate(request: ApiRequest): ApiRequest {
    const faultRequest = toFaultRequest(request);
    for (const lag of this.lags) {
      const member = lag.memberFor(faultRequest);
      if (member) return { ...request, member };
    }
    return request;
  }

  private async spoil(request: ApiRequest, effect: RequestEffect): Promise<ApiResponse> {
    switch (effect.kind) {
      case 'answer':
        return effect.response;
      case 'delay':
        await this.pause(request, effect.milliseconds);
        if (this.isDown) throw reset();
        return this.pass(request);
      case 'call':
        await effect.action(toFaultRequest(request));
        return this.pass(request);
      case 'cut':
      case 'stall':
        return this.interrupt(request, effect.kind, effect.phase);
    }
  }

  private async interrupt(request: ApiRequest, kind: 'cut' | 'stall', phase: FaultPhase): Promise<ApiResponse> {
    if (phase !== 'before') {
      const response = await this.pass(request);
      if (phase === 'middle') return this.halve(request, response, kind);
      discard(response);
    }
    if (kind === 'cut') throw reset();
    await this.pause(request);
    throw reset();
  }

  /** Sends the first half of the answer, or of the first line. */
  private halve(request: ApiRequest, response: ApiResponse, kind: 'cut' | 'stall'): ApiResponse {
    const { body } = response;
    if (body instanceof FaultyStream) body.breakNextLine(kind);
    if (typeof body !== 'string') return response;
    const half = this.follow(request, nothing());
    half.finish(kind, Buffer.from(body).subarray(0, body.length >> 1));
    return { ...response, body: half };
  }

  private follow(request: ApiRequest, body: AsyncIterableIterator<Uint8Array>): FaultyStream {
    const watch = toFaultRequest(request);
    const inspect: LineInspector = (line) => takeEffect(this.lineFaults, { watch, line });
    const isWatch = watch.verb === 'watch';
    const inspector = (): LineInspector | undefined => (isWatch && this.lineFaults.length > 0 ? inspect : undefined);
    const stream: FaultyStream = new FaultyStream(body, inspector, () => void this.streams.delete(stream));
    this.streams.set(stream, watch);
    return stream;
  }

  /** Waits for some time, or until the client goes. */
  private pause(request: ApiRequest, milliseconds?: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = milliseconds === undefined ? undefined : this.clock.setTimer(resolve, milliseconds);
      request.onGone?.(() => {
        timer?.cancel();
        reject(reset());
      });
    });
  }
}

function reset(): ConnectionLostError {
  return new ConnectionLostError('ECONNRESET', 'The connection was reset');
}

function discard({ body }: ApiResponse): void {
  if (typeof body !== 'string') void body.return?.();
}

// eslint-disable-next-line @typescript-eslint/require-await
async function* nothing(): AsyncGenerator<Uint8Array, undefined> {}
