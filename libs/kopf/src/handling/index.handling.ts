import { Inject, Injectable } from '@nestjs/common';
import { ObjectIndexing } from '../indexing/object.indexing.js';
import type { EventCycle } from './event.cycle.js';

/** The step that keeps the indices up to date, and holds back the following steps until all indices are populated. */
@Injectable()
export class IndexHandling {
  constructor(@Inject(ObjectIndexing) private readonly indexing: ObjectIndexing) {}

  /**
   * Adds the object to the indices, or removes it if no further events of it are expected. Other objects do not wait for it afterwards.
   *
   * @returns `undefined` if there are no indices, so that there is nothing to wait for.
   */
  index(cycle: EventCycle): Promise<void> | undefined {
    if (cycle.handlers.indexing.length > 0) return this.indexInto(cycle);
    cycle.noteIndexed();
    return undefined;
  }

  private async indexInto(cycle: EventCycle): Promise<void> {
    const { handlers, key, memory, session } = cycle;
    try {
      if (cycle.isLast) this.indexing.discard(handlers.indexing, key);
      else await this.indexing.index(handlers.indexing, key, cycle, memory, session);
    } finally {
      cycle.noteIndexed();
    }
  }

  /** Waits until all listed objects are indexed. Returns whether the object can be handled: at once if there is nothing to wait for. */
  pass(cycle: EventCycle): true | Promise<boolean> {
    return cycle.session.gate.isOpen || this.awaitOpening(cycle);
  }

  private async awaitOpening({ slot, session: { gate, backpressure } }: EventCycle): Promise<boolean> {
    // Objects that are not indexed yet may be waiting for the slot.
    await slot.withoutSlot(async () => {
      await gate.opened();
      // All objects that have waited here resume with the same event. Without backpressure, they would block the event loop, and send all
      // their patches at once.
      await backpressure.enter();
    });
    return !gate.aborted;
  }
}
