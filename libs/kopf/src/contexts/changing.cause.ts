import { CHANGE_MEMBERS, HasMembers, OBJECT_MEMBERS } from './context.members.js';
import type { ChangeFilterContext } from './filter-contexts.interface.js';
import { type Diff, reduceDiff } from '../objects/diffs.js';
import type { Essence } from '../objects/essences.js';
import { compareEssences, isHashedEssence } from '../state/essence-hashes.js';
import { isDeletionOngoing } from '../state/finalizers.js';
import { resolveField, type FieldPath } from '../objects/field-path.js';
import { ObjectCause, type CauseOrigin } from './object.causes.js';
import { Reason } from './reason.js';

/** Holds the result of comparing an object with its last handled state. */
export interface DetectedChange {
  readonly reason: Reason;
  /** Is true if the object was there when the operator started and has not been fully handled since. */
  readonly initial: boolean;
  /** The essence that was handled last, or a field's value in it. */
  readonly old: any;
  /** The essence now, or a field's value in it. */
  readonly new: any;
  readonly diff: Diff;
}

/** A change of an object. */
@HasMembers<ChangeFilterContext>({ ...OBJECT_MEMBERS, ...CHANGE_MEMBERS })
export class ChangingCause extends ObjectCause implements ChangeFilterContext, DetectedChange {
  readonly reason: Reason;
  readonly initial: boolean;
  readonly old: any;
  readonly new: any;
  readonly diff: Diff;

  /**
   * @param whole the same cause before it was reduced to a field.
   * @param path the field that it was reduced to.
   */
  constructor(
    origin: CauseOrigin,
    change: DetectedChange,
    private readonly whole?: ChangingCause,
    private readonly path: FieldPath = [],
  ) {
    super(origin);
    this.reason = change.reason;
    this.initial = change.initial;
    this.old = change.old;
    this.new = change.new;
    this.diff = change.diff;
  }

  /** The same cause as a handler of the field sees it: the values and the differences are of the field. */
  reducedTo(field: FieldPath): ChangingCause {
    const change = {
      reason: this.reason,
      initial: this.initial,
      old: resolveField(this.old, field),
      new: resolveField(this.new, field),
      diff: reduceDiff(this.diff, field),
    };
    return new ChangingCause(this, change, this.whole ?? this, [...this.path, ...field]);
  }

  /** The essence of the object now, also if the cause is reduced to a field. */
  get essence(): Essence {
    return (this.whole ?? this).new as Essence;
  }

  /** Whether more than the status has changed, also if the cause is reduced to a field. */
  get isOfUsers(): boolean {
    return (this.whole ?? this).diff.some(([, [top]]) => top !== 'status');
  }

  /** The change from another earlier state to the present one; of the same field, if the cause is reduced to one. */
  since(before: Essence, reason: Reason = this.reason): ChangingCause {
    const { essence, initial, path } = this;
    const old = isHashedEssence(before) ? undefined : before;
    const change = { reason, initial, old, new: essence, diff: compareEssences(before, essence) };
    const whole = new ChangingCause(this, change);
    return path.length > 0 ? whole.reducedTo(path) : whole;
  }

  /** Tells whether the object is being deleted. */
  get deleted(): boolean {
    return isDeletionOngoing(this.body);
  }
}
