import { CHANGE_MEMBERS, HasMembers, OBJECT_MEMBERS } from './context.members.js';
import type { ChangeFilterContext } from './filter-contexts.interface.js';
import { type ObjectDiff, reduceDiff } from '../objects/diffs.js';
import type { Essence } from '../objects/essences.js';
import { compareEssences, isHashedEssence } from '../state/essence-hashes.js';
import { isDeletionOngoing } from '../state/finalizers.js';
import { resolveField, type FieldPath } from '../objects/field-path.js';
import { ObjectCause, type CauseOrigin } from './object.causes.js';
import { Reason } from './reason.js';

/** The result of comparing an object with its last handled state. */
export interface DetectedChange {
  readonly reason: Reason;
  /** Whether the object was there when the operator started and has not been fully handled since. */
  readonly initial: boolean;
  /** The last handled essence, or a field's value in it. */
  readonly old: any;
  /** The current essence, or a field's value in it. */
  readonly new: any;
  readonly diff: ObjectDiff;
}

/** A change of an object. */
@HasMembers<ChangeFilterContext>({ ...OBJECT_MEMBERS, ...CHANGE_MEMBERS })
export class ChangingCause extends ObjectCause implements ChangeFilterContext, DetectedChange {
  readonly reason: Reason;
  readonly initial: boolean;
  readonly old: any;
  readonly new: any;
  readonly diff: ObjectDiff;

  /**
   * @param whole the cause before it was reduced to a field.
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

  /** Reduces the cause to a field, for a handler of the field: the values and the differences are those of the field. */
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

  /** The current essence of the object, also if the cause is reduced to a field. */
  get essence(): Essence {
    return (this.whole ?? this).new as Essence;
  }

  /** Whether more than the status has changed, also if the cause is reduced to a field. */
  get isOfUsers(): boolean {
    return (this.whole ?? this).diff.some(([, [top]]) => top !== 'status');
  }

  /** Creates the cause of the change from another earlier state to the current one; for the same field, if the cause is reduced to one. */
  since(before: Essence, reason: Reason = this.reason): ChangingCause {
    const { essence, initial, path } = this;
    const old = isHashedEssence(before) ? undefined : before;
    const change = { reason, initial, old, new: essence, diff: compareEssences(before, essence) };
    const whole = new ChangingCause(this, change);
    return path.length > 0 ? whole.reducedTo(path) : whole;
  }

  /** Whether the object is being deleted. */
  get deleted(): boolean {
    return isDeletionOngoing(this.body);
  }
}
