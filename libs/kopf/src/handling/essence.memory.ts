import type { Essence } from '../objects/essences.js';

/**
 * The memory of one object's last handled essence: the essence that is to be stored, whether the object should have one, and the essence to
 * use if the object may not have it.
 */
export class EssenceMemory {
  /** The essence of the present cycle. It counts when the cluster has stored it, or when it is withheld. */
  private made?: Essence;
  /** The last handled essence, if it must be recalled because the object may not have it. */
  private kept?: Essence;
  private isStored = false;
  /** `'never'` if the kept essence cannot be stored, `'later'` if it is still to be stored. */
  private missing?: 'never' | 'later';
  private isLossReported = false;

  /** Whether the object should have an essence. If it has none, another client has removed it. */
  get isExpected(): boolean {
    return this.isStored;
  }

  /** Whether the last handled essence is not stored, so that the object has an outdated one. */
  get isOutOfDate(): boolean {
    return this.missing !== undefined;
  }

  /** Whether the present cycle has an essence to store. */
  get isChanged(): boolean {
    return this.made !== undefined;
  }

  /** Whether an essence counts although it is not stored yet. */
  get isWithheld(): boolean {
    return this.missing === 'later';
  }

  /** The last handled essence; `undefined` if only the object has it. */
  get recalled(): Essence | undefined {
    return this.kept;
  }

  /** The essence that is to be stored. */
  get unstored(): Essence | undefined {
    return this.made ?? (this.isWithheld ? this.kept : undefined);
  }

  /** Records that the object has the essence. */
  noteFound(essence: Essence, recalls: boolean): void {
    this.isStored = true;
    if (recalls) this.kept = essence;
  }

  /** Records that the object does not have the last handled essence any more. */
  forgetStored(): void {
    this.isStored = false;
    if (!this.isOutOfDate) this.kept = undefined;
  }

  /** Records an essence that is to be stored. */
  noteChange(essence: Essence): void {
    this.made = essence;
  }

  /** Drops the essence of the present cycle. */
  forgetChanges(): void {
    this.made = undefined;
  }

  /**
   * Records that the cluster has stored the essence.
   *
   * @param recalls whether it is kept, to be recalled if another client removes it from the object.
   */
  confirm(recalls: boolean): void {
    const essence = this.unstored;
    if (essence === undefined) return;
    this.isStored = true;
    this.missing = undefined;
    this.kept = recalls ? essence : undefined;
    this.made = undefined;
  }

  /** Withholds the essence of this cycle: it counts although the cluster has not stored it. */
  withhold(): void {
    if (this.made === undefined) return;
    this.kept = this.made;
    this.missing = 'later';
    this.made = undefined;
  }

  /** Keeps an essence that cannot be stored on the object. */
  keepUnstorable(essence: Essence): void {
    this.kept = essence;
    this.missing = 'never';
    this.made = undefined;
  }

  /** Drops the withheld essence, as another operator may have handled the object. */
  forgetWithheld(): void {
    if (!this.isWithheld) return;
    this.missing = undefined;
    this.kept = undefined;
  }

  /** Records that the object has lost its essence. Returns whether this is the first time, which is reported. */
  noteLoss(): boolean {
    const isFirst = !this.isLossReported;
    this.isLossReported = true;
    return isFirst;
  }
}
