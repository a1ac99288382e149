import type { IndexingGate } from '../indexing/indexing.gate.js';
import type { ObjectIndexing } from '../indexing/object.indexing.js';
import type { Occasion } from './event.processor.js';

/** Puts objects into the indices, and holds back what comes after until the indices are complete. */
export class IndexHandling {
  constructor(
    private readonly indexing: ObjectIndexing,
    private readonly gate: IndexingGate,
  ) {}

  /** Indexes the object and waits for the others; returns whether the object can be handled. */
  async pass(occasion: Occasion, onIndexed: () => void): Promise<boolean> {
    try {
      await this.index(occasion);
    } finally {
      onIndexed();
    }
    if (this.gate.isOpen) return true;
    // Those who are still to be indexed may be waiting for the slot.
    await occasion.turn.withoutSlot(() => this.gate.opened());
    return !this.gate.aborted;
  }

  private async index(occasion: Occasion): Promise<void> {
    const { handlers, event, key, memory } = occasion;
    if (handlers.indexing.length === 0) return;
    if (event.type === 'DELETED') this.indexing.discard(handlers.indexing, key);
    else await this.indexing.index(handlers.indexing, key, occasion, memory);
  }
}
