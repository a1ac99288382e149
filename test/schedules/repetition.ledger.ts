import type { HandlerCall, CallLog } from './call.log.js';
import { isFinal } from './call.log.js';
import type { ExampleObject } from './example.resource.js';
import { essenceOf, type ObjectPast } from './object.history.js';
import type { PlannedStorages } from './operator.settings.js';
import { fullId } from './planned.operator.js';
import type { OperatorPlan } from './schedule.plan.js';

/**
 * Keeps books of what was recorded on the objects in the cluster: which calls are known there to have finished.
 * What is known there is not to be done again for the same state, whoever has been told of it.
 */
export class RepetitionLedger {
  readonly violations: string[] = [];
  /** The numbers of the calls that are recorded as finished. */
  private readonly recorded = new Set<number>();
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
    const { progressStorage, diffbaseStorage } = this.storages;
    const handled = diffbaseStorage.fetch(object);
    const isHandled = handled !== undefined && essenceOf(handled as never) === essenceOf(object);
    for (const id of this.ids) {
      const last = calls.last(past.uid, id);
      if (!last || !isFinal(last) || this.recorded.has(last.number)) continue;
      const record = progressStorage.fetch(id, object);
      const isRecorded =
        record !== undefined && (record.success === true || record.failure === true) && record.purpose === last.reason;
      if (isRecorded || (isHandled && !record && last.reason !== 'resume' && last.seen === essenceOf(object)))
        this.recorded.add(last.number);
    }
  }

  /** Takes note of a call, and of the call of the same handler before it. */
  called(call: HandlerCall, earlier: HandlerCall | undefined): void {
    if (!earlier || !isFinal(earlier) || !this.recorded.has(earlier.number) || earlier.reason !== call.reason) return;
    // What is removed before the object goes does not count any more.
    if (call.reason === 'delete' && this.operator.progress === 'purge') return;
    if (call.plan.kind === 'resume' && call.instance !== earlier.instance) return;
    const title = `${call.id} (${call.reason}) for ${call.uid}`;
    if (call.retry > 0)
      this.violations.push(`stale progress: ${title} has ${call.retry} retries after it had finished`);
    if (call.seen === earlier.seen)
      this.violations.push(`repetition: ${title} is called again for ${call.seen}, call ${call.number}`);
  }
}
