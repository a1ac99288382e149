import { copyMemo } from './memo.js';
import type { KubeObject } from '../objects/kube-object.js';
import { ObjectMemory } from './object.memory.js';

/** The memories of all existing objects that the operator has seen. */
export class Inventory {
  private readonly memories = new Map<string, ObjectMemory>();
  /** One function for all objects, as each function takes memory. */
  private readonly createMemo = (): unknown => copyMemo(this.operatorMemo);

  constructor(private readonly operatorMemo: unknown) {}

  /** The memories by the keys of their objects. */
  get all(): ReadonlyMap<string, ObjectMemory> {
    return this.memories;
  }

  get size(): number {
    return this.memories.size;
  }

  /** Counts the objects whose own patches the watch has not shown yet, and the throttled objects. */
  count(): { readonly unseen: number; readonly throttled: number } {
    let unseen = 0;
    let throttled = 0;
    for (const { knownVersion, throttler } of this.memories.values()) {
      if (knownVersion !== undefined) unseen += 1;
      if (throttler?.isActive) throttled += 1;
    }
    return { unseen, throttled };
  }

  /** Finds the memory of the object with the key. */
  find(key: string): ObjectMemory | undefined {
    return this.memories.get(key);
  }

  /** Finds the memory of an object, or creates one. */
  recall(key: string, noticedByList: boolean): ObjectMemory {
    let memory = this.memories.get(key);
    if (!memory) {
      memory = new ObjectMemory(noticedByList, this.createMemo);
      this.memories.set(key, memory);
    }
    return memory;
  }

  /** Returns the memory of an object; for an unknown object, a new memory that is not kept. */
  peek({ metadata: { uid = '' } }: KubeObject): ObjectMemory {
    return this.memories.get(uid) ?? this.blank();
  }

  /** Creates a memory as for an object that was never seen; it is not kept. */
  blank(): ObjectMemory {
    return new ObjectMemory(false, this.createMemo);
  }

  forget(key: string): void {
    this.memories.delete(key);
  }

  clear(): void {
    this.memories.clear();
  }
}
