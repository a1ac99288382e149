import type { LaggingMember } from '../machinery/lagging.member.js';
import { matchesRequest } from './fault.matching.js';
import type { FaultRequest, Lag, RequestMatch } from './fault.types.js';
import type { FaultyStream } from './faulty.stream.js';

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/** A lag that is in effect: matching reads are answered by a member that is behind, and matching watches are held. */
export class ActiveLag implements Lag {
  private count = 0;
  private cancelled = false;

  /** @param streams the watches that were open when it began; they are not the member's */
  constructor(
    private readonly match: RequestMatch,
    private readonly laggard: LaggingMember,
    private readonly streams: readonly FaultyStream[],
  ) {
    for (const stream of streams) stream.holdAfter(laggard.revision);
  }

  get hits(): number {
    return this.count;
  }

  get isOver(): boolean {
    return this.cancelled || this.laggard.isEnded;
  }

  get resourceVersion(): string {
    return String(this.laggard.revision);
  }

  /** Returns the member that answers the request, if it meets the lag; then it counts. */
  memberFor(request: FaultRequest): LaggingMember | undefined {
    if (this.isOver || !READS.has(request.verb) || !matchesRequest(this.match, request)) return undefined;
    this.count += 1;
    return this.laggard;
  }

  advance(resourceVersion: string): void {
    this.moveTo(Number(resourceVersion));
  }

  cancel(): void {
    if (this.cancelled) return;
    this.cancelled = true;
    this.moveTo(Infinity);
  }

  private moveTo(revision: number): void {
    if (Number.isNaN(revision)) throw new TypeError('A resource version is a number');
    this.laggard.advance(revision);
    for (const stream of this.streams) stream.holdAfter(revision);
  }
}
