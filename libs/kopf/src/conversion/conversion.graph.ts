// conversion: objects of custom resources in the version that a client requests. Methods with @Convert() convert from one version to
// another, and a graph of them finds the path between any two. Reviews of the API server are answered by it, on the webhook servers of
// admission, and the CRDs have the address.
// May import: admission (for its servers, its certificates, and its repair of configurations), custom-resources, and what these may import.

import type { ConversionHandler } from '../registry/handler.js';

/** The conversions of one resource: its versions, and the methods that lead from one to another. */
export class ConversionGraph {
  private readonly paths = new Map<string, readonly ConversionHandler[] | undefined>();

  /**
   * @param name the name of the CRD: `widgets.example.com`.
   * @param hub the version that is preferred between two others; absent if none is known.
   */
  constructor(
    readonly name: string,
    readonly handlers: readonly ConversionHandler[],
    readonly hub?: string,
  ) {}

  get group(): string {
    return this.handlers[0].group;
  }

  /** The versions that methods convert from or to, each once. */
  get versions(): readonly string[] {
    return [...new Set(this.handlers.flatMap(({ from, to }) => [from, to]))];
  }

  /** Finds the shortest sequence of methods that converts between two versions; `undefined` if there is none. */
  pathOf(from: string, to: string): readonly ConversionHandler[] | undefined {
    const key = `${from}>${to}`;
    if (!this.paths.has(key)) this.paths.set(key, this.search(from, to));
    return this.paths.get(key);
  }

  private search(from: string, to: string): readonly ConversionHandler[] | undefined {
    const isToHub = (handler: ConversionHandler): number => Number(handler.to === this.hub);
    const ordered = [...this.handlers].sort((one, other) => isToHub(other) - isToHub(one));
    const reached = new Map<string, readonly ConversionHandler[]>([[from, []]]);
    // The loop also visits the entries that it adds.
    for (const [version, path] of reached) {
      if (version === to) return path;
      for (const handler of ordered) {
        if (handler.from === version && !reached.has(handler.to)) reached.set(handler.to, [...path, handler]);
      }
    }
    return undefined;
  }
}
