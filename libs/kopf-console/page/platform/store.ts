import { useEffect, useRef, useState } from 'preact/hooks';

/** A value that components show, with subscribers that are notified when it changes. */
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
  const value = store.get();
  const shown = useRef(value);
  shown.current = value;
  useEffect(() => {
    const check = () => {
      if (!Object.is(shown.current, store.get())) render({});
    };
    const unsubscribe = store.subscribe(check);
    // The value may have changed since the component was rendered, as effects run later.
    check();
    return unsubscribe;
  }, [store]);
  return value;
}
