import type { Clock, KubeRequest, KubeResponse, KubeTransport } from 'nestjs-kopf';
import { KillableProcess as ProcessUnderTest } from '../../libs/kopf/src/testing/application/killable.process.js';

/** Where a write request is when the operator is killed. */
export type WritePhase = 'before' | 'after';

/** Looks at each write request before it is sent and after it was answered; it may kill the operator there. */
export type WriteWatch = (phase: WritePhase) => void;

const NEVER = new Promise<never>(() => undefined);

/** The process of the testing kit that can be killed, with a look at each of its writes, at which it can be killed, too. */
export class KillableProcess {
  readonly clock: Clock;
  readonly transport: KubeTransport;
  private readonly process: ProcessUnderTest;

  constructor(
    time: Clock,
    private readonly cluster: KubeTransport,
    private readonly onWrite: WriteWatch = () => undefined,
  ) {
    this.process = new ProcessUnderTest(time);
    this.clock = this.process;
    const close = () => Promise.resolve();
    const connected = this.process.connect({ request: (request) => this.request(request), close });
    // The cluster goes on when the process ends, in whatever way it does.
    this.transport = { request: (request) => connected.request(request), close };
  }

  get alive(): boolean {
    return !this.process.isDead;
  }

  kill(): void {
    this.process.kill();
  }

  private async request(request: KubeRequest): Promise<KubeResponse> {
    const isWrite = request.method !== 'GET';
    if (isWrite) this.onWrite('before');
    if (!this.alive) return NEVER;
    const response = await this.cluster.request(request);
    if (isWrite && this.alive) this.onWrite('after');
    return response;
  }
}
