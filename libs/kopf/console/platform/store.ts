import { useEffect, useState } from 'preact/hooks';

/** Holds a value that components show, and tells those who subscribe when it is another one. */
export class Store<T> {
  private readonly listeners = new Set<() => void>();

  constructor(private value: T) {}

  get(): T {
    return this.value;
  }

  set(value: T): void {
    if (Object.is(value, this.value)) return;
    this.value = value;
    for (const listener of this.listeners) listener();
  }

  update(change: (value: T) => T): void {
    this.set(change(this.value));
  }

  /** @returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** Reads a store in a component, which is rendered again when the value has changed. */
export function useStore<T>(store: Store<T>): T {
  const [, render] = useState({});
  useEffect(() => {
    let seen = store.get();
    const check = () => {
      if (Object.is(seen, store.get())) return;
      seen = store.get();
      render({});
    };
    check();
    return store.subscribe(check);
  }, [store]);
  return store.get();
}
