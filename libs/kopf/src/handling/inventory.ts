import { copyMemo } from './memo.js';
import type { KubeObject } from '../objects/kube-object.js';
import { ObjectMemory } from './object.memory.js';

/** The memories of all objects that the operator has seen and that still exist. */
export class Inventory {
  private readonly memories = new Map<string, ObjectMemory>();
  /** One for all objects, as each function takes memory. */
  private readonly createMemo = (): unknown => copyMemo(this.operatorMemo);

  constructor(private readonly operatorMemo: unknown) {}

  /** The memories by the keys of their objects. */
  get all(): ReadonlyMap<string, ObjectMemory> {
    return this.memories;
  }

  get size(): number {
    return this.memories.size;
  }

  /** Counts the objects with versions that the operator has written and its watch has not shown yet, and those that are throttled. */
  count(): { readonly unseen: number; readonly throttled: number } {
    let unseen = 0;
    let throttled = 0;
    for (const { knownVersion, throttler } of this.memories.values()) {
      if (knownVersion !== undefined) unseen += 1;
      if (throttler?.isActive) throttled += 1;
    }
    return { unseen, throttled };
  }

  /** The memory of the object with the key, if there is one. */
  find(key: string): ObjectMemory | undefined {
    return this.memories.get(key);
  }

  /** Finds the memory of an object, or makes one. */
  recall(key: string, noticedByList: boolean): ObjectMemory {
    let memory = this.memories.get(key);
    if (!memory) {
      memory = new ObjectMemory(noticedByList, this.createMemo);
      this.memories.set(key, memory);
    }
    return memory;
  }

  /** The memory of an object; a new one, which is not remembered, if the object is not known. */
  peek({ metadata: { uid = '' } }: KubeObject): ObjectMemory {
    return this.memories.get(uid) ?? this.blank();
  }

  /** A memory as that of an object that was never seen; it is not remembered. */
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
