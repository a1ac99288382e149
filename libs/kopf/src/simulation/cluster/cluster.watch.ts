import { Deferred, type KubeResponse } from 'kube-common';
import { LineSplitter } from '../../client/http/line.splitter.js';
import { resetConnection } from '../run/fault.response.js';
import type { ClusterChange } from './cluster.objects.js';

/** The real time for which a change can be on its way to a watch with selectors, which need not get it, in milliseconds. */
const SELECTED_DELAY = 100;

/** A watch of the operator on a cluster, whose lines can be held, and whose connection can be cut. */
export class ClusterWatch {
  /** The newest version that lines may have; newer ones wait. */
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

  /** Expects the change if the watch is to tell of it. @param now the real time in milliseconds */
  expect({ resource, namespace, revision }: Pick<ClusterChange, 'resource' | 'namespace' | 'revision'>, now: number) {
    if (resource !== this.resource || (this.namespace !== undefined && this.namespace !== namespace)) return;
    if (this.isSelective) this.expectedUntil = now + SELECTED_DELAY;
    else this.expected = Math.max(this.expected, revision);
  }

  /** Tells whether a change is on its way that is not held. */
  isBehind(now: number): boolean {
    return this.seen < this.expected ? this.expected <= this.limit : now < this.expectedUntil;
  }

  /** Expects nothing any more. */
  giveUp(): void {
    this.expected = this.expectedUntil = 0;
  }

  /** Holds lines of newer versions. @param limit `Infinity` lets all go on */
  hold(limit: number): void {
    this.limit = limit;
    this.raising.resolve();
    this.raising = new Deferred();
  }

  /** Breaks the connection. */
  cut(): void {
    this.cutting.reject(resetConnection());
  }

  /** Passes the lines of the watch on. */
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
