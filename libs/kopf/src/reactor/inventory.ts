import { copyMemo } from '../utils/memo.js';
import { ObjectMemory } from './object.memory.js';

/** The memories of all objects that the operator has seen and that still exist. */
export class Inventory {
  private readonly memories = new Map<string, ObjectMemory>();

  constructor(private readonly operatorMemo: unknown) {}

  get size(): number {
    return this.memories.size;
  }

  /** Finds the memory of an object, or makes one. */
  recall(key: string, noticedByListing: boolean): ObjectMemory {
    let memory = this.memories.get(key);
    if (!memory) {
      memory = new ObjectMemory(noticedByListing, () => copyMemo(this.operatorMemo));
      this.memories.set(key, memory);
    }
    return memory;
  }

  forget(key: string): void {
    this.memories.delete(key);
  }

  clear(): void {
    this.memories.clear();
  }
}
