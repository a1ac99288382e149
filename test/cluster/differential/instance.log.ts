import type { StepPlan } from './program.js';

/** A call of a handler, as the operator has described it. */
export interface CallEntry {
  readonly type: 'call';
  readonly handler: string;
  readonly [detail: string]: unknown;
}

/** A request of the operator that changes something. */
export interface WriteEntry {
  readonly type: 'write';
  readonly method: string;
  /** With the namespace replaced. */
  readonly path: string;
  readonly contentType?: string;
  readonly body: unknown;
  /** Of the answer; absent if there was none. */
  status?: number;
}

/** An action of the user, or the replacement of the operator. */
export interface UserEntry {
  readonly type: 'user';
  readonly action: StepPlan['action'] | 'handover';
  /** The status of the answer, if the server has rejected the action. */
  rejected?: number;
}

export type Entry = CallEntry | WriteEntry | UserEntry;

/** The most entries that any program needs; more of them come of a loop, which ends here. */
const LIMIT = 250;

/** Takes note of all that an operator and its user do, in the order in which the coordinator sees it. */
export class InstanceLog {
  readonly entries: Entry[] = [];
  /** Calls and writes that were not answered yet. */
  pending = 0;
  /** The time of the last sign of life, in milliseconds of `performance.now()`. */
  lastActivity = performance.now();
  /** The resource version of the object's last event that was sent to the operator, `deleted` for its last one. */
  delivered?: string;
  /** When the operator had the answer to a patch that has changed nothing, for whose event it waits in vain. */
  lastVainPatch = -Infinity;
  /** Counts how often the operator began to watch the objects. */
  watches = 0;

  private readonly versions = new Set<string>();

  /** Counts the versions of the object that the operator has seen, in events or in responses. */
  get knownVersions(): number {
    return this.versions.size;
  }

  get isOverflowing(): boolean {
    return this.entries.length > LIMIT;
  }

  add(entry: Entry): void {
    this.entries.push(entry);
    this.touch();
  }

  /** Takes note of an event of the object. */
  deliver(version: string): void {
    this.delivered = version;
    if (version !== 'deleted') this.versions.add(version);
  }

  /** Finds out whether a patch has changed anything: its answer is not one of the versions known before the request. */
  noteAnswer(text: string, knownBefore: number): void {
    const { metadata } = JSON.parse(text) as { metadata?: { resourceVersion?: string } };
    const version = metadata?.resourceVersion;
    if (version === undefined) return;
    if ([...this.versions].slice(0, knownBefore).includes(version)) this.lastVainPatch = performance.now();
    this.versions.add(version);
  }

  touch(): void {
    this.lastActivity = performance.now();
  }

  count(type: Entry['type']): number {
    return this.entries.filter((entry) => entry.type === type).length;
  }

  /** Counts the writes, but for those to an object that had gone, as only Kopf sends them. */
  countEffectiveWrites(): number {
    return this.entries.filter((entry) => entry.type === 'write' && entry.status !== 404).length;
  }
}
