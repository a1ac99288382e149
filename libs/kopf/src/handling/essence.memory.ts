import type { Essence } from '../objects/essences.js';

/**
 * Remembers the last handled essence of one object beside the object itself: which one was sent and is not confirmed by the
 * cluster yet, whether the object should have one, and which one, if the object cannot be relied on to keep it.
 */
export class EssenceMemory {
  /** The essence in the patch that is being made: it counts as stored when the cluster has taken the patch. */
  private sent?: Essence;
  /** The last handled essence, if it is to be recalled because it cannot be relied on to be with the object. */
  private kept?: Essence;
  private isStored = false;
  private isUnstorable = false;
  private isLossReported = false;

  /** Tells whether the object should have an essence: if it has none, somebody has removed it. */
  get isExpected(): boolean {
    return this.isStored;
  }

  /** Tells whether the essence could not be stored, so that the one of the object is out of date. */
  get isOutOfDate(): boolean {
    return this.isUnstorable;
  }

  /** The last handled essence; `undefined` if only the object has it. */
  get recalled(): Essence | undefined {
    return this.kept;
  }

  /** Takes note that the object has the essence. */
  noteFound(essence: Essence, recalls: boolean): void {
    this.isStored = true;
    if (recalls) this.kept = essence;
  }

  /** Takes note that the essence is in the patch that is being made. */
  noteSent(essence: Essence): void {
    this.sent = essence;
  }

  /** Takes note that nothing of the patch that was being made counts. */
  forgetSent(): void {
    this.sent = undefined;
  }

  /** Takes note that the cluster has taken the patch. */
  confirmSent(recalls: boolean): void {
    if (this.sent === undefined) return;
    this.isStored = true;
    this.isUnstorable = false;
    this.kept = recalls ? this.sent : undefined;
    this.sent = undefined;
  }

  /** Keeps an essence that cannot be stored with the object. */
  keepUnstorable(essence: Essence): void {
    this.kept = essence;
    this.isUnstorable = true;
  }

  /** Takes note that the essence has gone; returns whether this is the first time, which is to be reported. */
  noteLoss(): boolean {
    const isFirst = !this.isLossReported;
    this.isLossReported = true;
    return isFirst;
  }
}
