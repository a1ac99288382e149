import type { Clock, ClockTimer, KubeRequest, KubeResponse, KubeTransport } from 'nestjs-kopf';
import type { VirtualClock } from 'nestjs-kopf/testing';

type Source = 'timers' | 'answers';

/**
 * Stands for the process of one operator among several in the same real process: it can be stopped and continued, as by `SIGSTOP` and `SIGCONT`.
 * While it is stopped, time goes on, and neither its timers fire nor answers or events come to it. All of them come late.
 */
export class FreezableProcess {
  /** The clock of the process: time goes on while it is stopped. */
  readonly clock: Clock;
  /** The requests that it has sent, as `METHOD path`, with the time of each. */
  readonly sent: { readonly request: string; readonly at: number }[] = [];
  private held?: { readonly source: Source; readonly run: () => void }[];

  constructor(private readonly real: VirtualClock) {
    this.clock = {
      now: () => real.now(),
      monotonic: () => real.monotonic(),
      setTimer: (callback, milliseconds): ClockTimer => {
        let isCancelled = false;
        const fire = (): void => {
          if (!isCancelled) callback();
        };
        const timer = real.setTimer(() => this.pass('timers', fire), milliseconds);
        return {
          cancel: () => {
            isCancelled = true;
            timer.cancel();
          },
        };
      },
    };
  }

  /** Stops the process. */
  freeze(): void {
    this.held = [];
  }

  /**
   * Continues the process.
   *
   * @param first what comes first of all that has been waiting.
   */
  async thaw(first: Source): Promise<void> {
    const held = this.held ?? [];
    this.held = undefined;
    const order = [...held.filter(({ source }) => source === first), ...held.filter(({ source }) => source !== first)];
    for (const { run } of order) {
      run();
      await this.real.settle(1);
    }
  }

  /** The connection of the process. */
  connect(transport: KubeTransport): KubeTransport {
    return {
      request: (request) => this.request(transport, request),
      close: () => transport.close(),
    };
  }

  private async request(transport: KubeTransport, request: KubeRequest): Promise<KubeResponse> {
    this.sent.push({ request: `${request.method} ${request.path}`, at: this.real.monotonic() });
    const response = await this.arrival(transport.request(request));
    return {
      status: response.status,
      headers: response.headers,
      text: () => this.arrival(Promise.resolve(response.text())),
      chunks: () => this.chunks(response.chunks()),
    };
  }

  private async *chunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      await this.arrival(Promise.resolve());
      yield chunk;
    }
  }

  private arrival<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(
        (value) => this.pass('answers', () => resolve(value)),
        (error: Error) => this.pass('answers', () => reject(error)),
      );
    });
  }

  private pass(source: Source, run: () => void): void {
    if (this.held) this.held.push({ source, run });
    else run();
  }
}
