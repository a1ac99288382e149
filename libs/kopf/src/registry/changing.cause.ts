import type { Reason } from '../enums/reason.enum.js';
import type { ChangeFilterContext } from '../interfaces/contexts.interface.js';
import type { Diff } from '../interfaces/diff.interface.js';
import { isDeletionOngoing } from '../persistence/finalizers.js';
import { reduceDiff } from '../structs/diffs.js';
import { resolveField, type FieldPath } from '../structs/field-path.js';
import { ObjectCause, type CauseOrigin } from './object.cause.js';

/** What was found out about an object by comparing it with its last handled state. */
export interface DetectedChange {
  readonly reason: Reason;
  /** Whether the object was there when the operator started and has not been fully handled since. */
  readonly initial: boolean;
  /** The essence that was handled last, or a field's value in it. */
  readonly old: any;
  /** The essence now, or a field's value in it. */
  readonly new: any;
  readonly diff: Diff;
}

/** A change of an object. */
export class ChangingCause extends ObjectCause implements ChangeFilterContext, DetectedChange {
  readonly reason: Reason;
  readonly initial: boolean;
  readonly old: any;
  readonly new: any;
  readonly diff: Diff;

  constructor(origin: CauseOrigin, change: DetectedChange) {
    super(origin);
    this.reason = change.reason;
    this.initial = change.initial;
    this.old = change.old;
    this.new = change.new;
    this.diff = change.diff;
  }

  /** The same cause as a handler of the field sees it: the values and the differences are of the field. */
  reducedTo(field: FieldPath): ChangingCause {
    return new ChangingCause(this, {
      reason: this.reason,
      initial: this.initial,
      old: resolveField(this.old, field),
      new: resolveField(this.new, field),
      diff: reduceDiff(this.diff, field),
    });
  }

  /** Whether the object is being deleted. */
  get deleted(): boolean {
    return isDeletionOngoing(this.body);
  }
}
