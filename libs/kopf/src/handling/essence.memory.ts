import type { Essence } from '../objects/essences.js';

/**
 * Remembers the last handled essence of one object beside the object itself: which one is to be stored, whether the object should have one,
 * and which one, if the object cannot be relied on to have it.
 */
export class EssenceMemory {
  /** The essence of the present cycle: it counts when the cluster has stored it, or when it is withheld. */
  private made?: Essence;
  /** The last handled essence, if it is to be recalled because it cannot be relied on to be with the object. */
  private kept?: Essence;
  private isStored = false;
  /** Is `'never'` if the essence that is kept cannot be stored, and `'later'` if it is to be. */
  private missing?: 'never' | 'later';
  private isLossReported = false;

  /** Tells whether the object should have an essence: if it has none, somebody has removed it. */
  get isExpected(): boolean {
    return this.isStored;
  }

  /** Tells whether the essence is not stored, so that the one of the object is out of date. */
  get isOutOfDate(): boolean {
    return this.missing !== undefined;
  }

  /** Tells whether the present cycle has made one. */
  get isChanged(): boolean {
    return this.made !== undefined;
  }

  /** Tells whether there is one that counts although it is not stored, and that is to be stored. */
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

  /** Records that the essence of the object is not the last one any more. */
  forgetStored(): void {
    this.isStored = false;
    if (!this.isOutOfDate) this.kept = undefined;
  }

  /** Records an essence to be stored. */
  noteChange(essence: Essence): void {
    this.made = essence;
  }

  /** Records that the present cycle has made none. */
  forgetChanges(): void {
    this.made = undefined;
  }

  /**
   * Records that the cluster has stored it.
   *
   * @param recalls whether it is kept, to be recalled if somebody removes it from the object.
   */
  confirm(recalls: boolean): void {
    const essence = this.unstored;
    if (essence === undefined) return;
    this.isStored = true;
    this.missing = undefined;
    this.kept = recalls ? essence : undefined;
    this.made = undefined;
  }

  /** Records that the cluster has not stored the essence of this cycle, which counts nevertheless. */
  withhold(): void {
    if (this.made === undefined) return;
    this.kept = this.made;
    this.missing = 'later';
    this.made = undefined;
  }

  /** Keeps an essence that cannot be stored with the object. */
  keepUnstorable(essence: Essence): void {
    this.kept = essence;
    this.missing = 'never';
    this.made = undefined;
  }

  /** Forgets what counts although it is not stored, as another operator may have been at work. */
  forgetWithheld(): void {
    if (!this.isWithheld) return;
    this.missing = undefined;
    this.kept = undefined;
  }

  /** Records that the essence has gone; returns whether this is the first time, which is to be reported. */
  noteLoss(): boolean {
    const isFirst = !this.isLossReported;
    this.isLossReported = true;
    return isFirst;
  }
}
