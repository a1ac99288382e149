import type { KubeObject } from 'nestjs-kopf';
import { isHandled, storedProgress } from '../support/operators/stored.progress.js';

/** A call of a handler, as it is made. */
export interface LedgerCall {
  readonly handler: string;
  readonly reason: string;
  readonly uid: string;
}

const LAST_HANDLED = 'kopf.zalando.org/last-handled-configuration';

/**
 * Keeps the books of what was recorded on the objects in the cluster: which handlers have finished for which changes.
 *
 * A change is what has happened to an object since it was handled last: its creation, its deletion,
 * or all updates since the stored configuration. What was recorded counts for ever, also when the records have gone;
 * but those of a deletion only as long as they are there, if the operator removes them before it lets the object go.
 */
export class HandlingLedger {
  private readonly finished = new Set<string>();
  private readonly bases = new Map<string, string | undefined>();
  private readonly handled = new Set<string>();
  /** Handlers that were called although they were recorded as finished for the same change. */
  readonly repetitions: string[] = [];

  constructor(private readonly keepsDeletions: boolean) {}

  /** Takes note of the state of an object after a write. */
  note(object: KubeObject): void {
    const { uid = '', annotations = {} } = object.metadata;
    if (!this.keepsDeletions) this.forget(`${uid} delete `);
    for (const [key, { success, failure, purpose }] of Object.entries(storedProgress(object))) {
      if (success || failure) this.finished.add(this.keyOf({ uid, handler: key, reason: purpose ?? '' }));
    }
    this.bases.set(uid, annotations[LAST_HANDLED]);
    if (isHandled(object)) this.handled.add(uid);
    else this.handled.delete(uid);
  }

  /** Takes note of a call. */
  called(call: LedgerCall): void {
    const key = this.keyOf({ ...call, handler: call.handler.replaceAll('/', '.') });
    const isDone =
      (call.reason === 'create' && this.bases.get(call.uid) !== undefined) ||
      (call.reason === 'update' && this.handled.has(call.uid));
    if (isDone || this.finished.has(key)) this.repetitions.push(key);
  }

  private forget(prefix: string): void {
    for (const key of this.finished) if (key.startsWith(prefix)) this.finished.delete(key);
  }

  private keyOf({ handler, reason, uid }: LedgerCall): string {
    const base = reason === 'update' ? this.bases.get(uid) : '';
    return `${uid} ${reason} ${handler} ${base}`;
  }
}
