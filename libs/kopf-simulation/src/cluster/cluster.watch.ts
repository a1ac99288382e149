import { Deferred, type KubeResponse } from 'kube-common';
import { LineSplitter } from 'nestjs-kopf/tooling';
import { resetConnection } from '../faults/fault.response.js';
import type { ClusterChange } from './cluster.objects.js';

/** The real time, in milliseconds, for which a change can be on its way to a watch with selectors. The change may not match them. */
const SELECTED_DELAY = 100;

/** A watch of the operator on a cluster. Its lines can be delayed, and its connection can be closed. */
export class ClusterWatch {
  /** The newest resource version that lines may have. Newer lines are delayed. */
  private limit = Infinity;
  private seen = 0;
  private expected = 0;
  private expectedUntil = 0;
  private readonly cutting = new Deferred<never>();
  private raising = new Deferred<void>();

  constructor(
    readonly resource: string,
    private readonly namespace: string | undefined,
    private readonly isSelective: boolean,
    readonly userAgent: string,
  ) {
    this.cutting.promise.catch(() => {});
  }

  /** Expects the change if the watch is to report it. @param now the real time in milliseconds */
  expect({ resource, namespace, revision }: Pick<ClusterChange, 'resource' | 'namespace' | 'revision'>, now: number) {
    if (resource !== this.resource || (this.namespace !== undefined && this.namespace !== namespace)) return;
    if (this.isSelective) this.expectedUntil = now + SELECTED_DELAY;
    else this.expected = Math.max(this.expected, revision);
  }

  /** Whether a change is on its way that is not delayed. */
  isBehind(now: number): boolean {
    return this.seen < this.expected ? this.expected <= this.limit : now < this.expectedUntil;
  }

  /** Stops expecting changes. */
  giveUp(): void {
    this.expected = this.expectedUntil = 0;
  }

  /** Delays lines of newer versions. @param limit `Infinity` releases all lines */
  hold(limit: number): void {
    this.limit = limit;
    this.raising.resolve();
    this.raising = new Deferred();
  }

  /** Breaks the connection. */
  cut(): void {
    this.cutting.reject(resetConnection());
  }

  /** The lines of the watch, without those that are delayed. */
  async *pass(response: KubeResponse): AsyncGenerator<Uint8Array> {
    const chunks = response.chunks()[Symbol.asyncIterator]();
    const splitter = new LineSplitter();
    try {
      for (;;) {
        const { done, value } = await Promise.race([chunks.next(), this.cutting.promise]);
        if (done) return;
        const lines: string[] = [];
        splitter.push(value, (line) => lines.push(line));
        for (const line of lines) {
          const revision = revisionOf(line);
          while (revision > this.limit) await Promise.race([this.raising.promise, this.cutting.promise]);
          this.seen = Math.max(this.seen, revision);
          yield Buffer.from(`${line}\n`);
        }
      }
    } finally {
      void chunks.return?.()?.catch(() => {});
    }
  }
}

function revisionOf(line: string): number {
  const { object } = JSON.parse(line) as { object?: { metadata?: { resourceVersion?: string } } };
  return Number(object?.metadata?.resourceVersion ?? 0);
}
