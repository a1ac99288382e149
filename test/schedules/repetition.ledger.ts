import type { ProgressRecord } from 'nestjs-kopf/storages';
import type { HandlerCall, CallLog } from './call.log.js';
import { isFinal } from './call.log.js';
import type { ExampleObject } from './example.resource.js';
import { essenceOf, type ObjectPast } from './object.history.js';
import type { PlannedStorages } from './operator.settings.js';
import { fullId } from './planned.operator.js';
import type { OperatorPlan } from './schedule.plan.js';

/** The state that was stored as handled on an object at a time. */
interface HandledState {
  readonly essence?: string;
  /** Counts the changes of the object until then. */
  readonly generation: number;
  /** Counts the states of the object without the label that filtered handlers ask for. */
  readonly excluded: number;
}

const NEVER_HANDLED: HandledState = { generation: 0, excluded: 0 };

/**
 * Keeps books of what was recorded on the objects in the cluster: which calls are known there to have finished.
 * What is known there is not to be done again for the same state, whoever has been told of it.
 */
export class RepetitionLedger {
  readonly violations: string[] = [];
  /** The numbers of the calls that are recorded as finished. */
  private readonly recorded = new Set<number>();
  /** The handled states of the objects, by uids. */
  private readonly handled = new Map<string, HandledState>();
  /** The handled states of the objects as they were at the calls, by their numbers. */
  private readonly bases = new Map<number, HandledState>();
  /** All calls, to know what the parents of sub-handlers were shown. */
  private readonly calls: HandlerCall[] = [];
  private readonly ids: readonly string[];

  constructor(
    private readonly operator: OperatorPlan,
    private readonly storages: PlannedStorages,
  ) {
    this.ids = operator.handlers.flatMap((plan) => {
      const id = fullId(plan);
      return [id, ...Array.from({ length: plan.children }, (_, index) => `${id}/child${index}`)];
    });
  }

  /** Takes note of what an object has after a write. */
  note(past: ObjectPast, object: ExampleObject, calls: CallLog): void {
    const stored = this.storages.diffbaseStorage.fetch(object);
    const essence = stored && essenceOf(stored as never);
    const before = this.handled.get(past.uid) ?? NEVER_HANDLED;
    const generation = essence === before.essence ? before.generation : before.generation + 1;
    const excluded = object.metadata.labels?.on === undefined ? before.excluded + 1 : before.excluded;
    this.handled.set(past.uid, { essence, generation, excluded });
    for (const call of this.finalCalls(past.uid, calls)) {
      if (!this.recorded.has(call.number) && this.isShown(object, call)) this.recorded.add(call.number);
    }
  }

  /**
   * Takes note of what an object has after a write that has come so late that it took back what was written after it. The operator's memory
   * makes up for that, as long as it lives; what an object does not show any more is not known to the next one.
   */
  noteLate(object: ExampleObject, calls: CallLog): void {
    for (const call of this.finalCalls(object.metadata.uid, calls)) {
      if (!this.isShown(object, call)) this.recorded.delete(call.number);
    }
  }

  /** Tells whether the cluster knows of the call that it has finished. */
  knows({ number }: HandlerCall): boolean {
    return this.recorded.has(number);
  }

  /** Takes note of a call, and of the call of the same handler before it. */
  called(call: HandlerCall, earlier: HandlerCall | undefined): void {
    this.bases.set(call.number, this.handled.get(call.uid) ?? NEVER_HANDLED);
    this.calls.push(call);
    if (!earlier || !this.isDone(call, earlier)) return;
    const title = `${call.id} (${call.reason}) for ${call.uid}`;
    if (call.retry > 0)
      this.violations.push(`stale progress: ${title} has ${call.retry} retries after it had finished`);
    if (call.seen !== earlier.seen || this.isPartOfWayBack(call, earlier)) return;
    this.violations.push(`repetition: ${title} is called again for ${call.seen}, call ${call.number}`);
  }

  /** The last calls of all handlers for the object, as far as they have finished. */
  private finalCalls(uid: string, calls: CallLog): readonly HandlerCall[] {
    return this.ids
      .map((id) => calls.last(uid, id))
      .filter((call) => call !== undefined && isFinal(call)) as HandlerCall[];
  }

  /** Tells whether the object shows that the call has finished: by its record, or as the state that it was for is stored as handled. */
  private isShown(object: ExampleObject, call: HandlerCall): boolean {
    const { progressStorage } = this.storages;
    const record = progressStorage.fetch(call.id, object);
    if (record) return isOf(record, call);
    const { essence, generation } = this.handled.get(call.uid) ?? NEVER_HANDLED;
    const isChange = call.reason === 'create' || call.reason === 'update';
    return isChange && this.bases.get(call.number)!.generation < generation && call.seen === essence;
  }

  /** Tells whether it is a sub-handler whose parent was shown another state since: all that the parent consists of is for the way back. */
  private isPartOfWayBack(call: HandlerCall, earlier: HandlerCall): boolean {
    return this.calls.some(
      ({ uid, id, number, seen }) =>
        uid === call.uid && call.id.startsWith(`${id}/child`) && number > earlier.number && seen !== call.seen,
    );
  }

  /** Tells whether the cluster knows that the earlier call has finished what this one is for. */
  private isDone(call: HandlerCall, earlier: HandlerCall): boolean {
    if (!isFinal(earlier) || !this.recorded.has(earlier.number) || earlier.reason !== call.reason) return false;
    // What is removed before the object goes does not count any more.
    if (call.reason === 'delete' && this.operator.progress === 'purge') return false;
    if (call.plan.kind === 'resume' && call.instance !== earlier.instance) return false;
    const before = this.bases.get(earlier.number)!;
    const now = this.bases.get(call.number)!;
    // An object that has left the handler's filter and has come back is handled anew.
    if (call.plan.filtered && now.excluded > before.excluded) return false;
    if (now.generation === before.generation) return true;
    return now.generation === before.generation + 1 && now.essence === earlier.seen;
  }
}

/** Tells whether the record is of this call, and not of one for an earlier state. */
function isOf({ success, failure, purpose, handled }: ProgressRecord, call: HandlerCall): boolean {
  if ((!success && !failure) || purpose !== call.reason) return false;
  return typeof handled !== 'string' || essenceOf(JSON.parse(handled) as never) === call.seen;
}
