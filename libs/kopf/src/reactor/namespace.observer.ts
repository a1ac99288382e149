import {
  WatchSource,
  type ListedMark,
  type WatchSourceEvent,
  type WatchSourceOptions,
} from '../client/watch.source.js';
import { matchNamespace, selectSpecificNamespaces, type NamespacePattern } from '../structs/namespaces.js';
import { NAMESPACES } from './well-known.resources.js';

/** The namespaces to serve; a single `undefined` stands for the whole cluster. */
export type ServedNamespaces = readonly (string | undefined)[];

/**
 * Knows which namespaces are served. Only patterns need to be observed in the cluster: named namespaces are served as they are,
 * whether they exist yet or not, and without the permission to list namespaces.
 */
export class NamespaceObserver {
  private readonly specific: ReadonlySet<string>;
  private readonly matching = new Set<string>();
  private readonly isDynamic: boolean;

  constructor(
    private readonly patterns: readonly NamespacePattern[] | undefined,
    private readonly options: Omit<WatchSourceOptions, 'resource' | 'namespace' | 'onStatus'>,
    private readonly onChange: () => void,
  ) {
    this.specific = new Set(selectSpecificNamespaces(patterns ?? []));
    this.isDynamic = patterns !== undefined && patterns.length > this.specific.size;
  }

  get served(): ServedNamespaces {
    return this.patterns === undefined ? [undefined] : [...new Set([...this.specific, ...this.matching])].sort();
  }

  /**
   * Observes the namespaces until the signal is aborted.
   *
   * @param once whether they are listed once and not watched.
   */
  async run(signal: AbortSignal, once: boolean): Promise<void> {
    if (!this.isDynamic) return;
    const listed = new AbortController();
    const source = new WatchSource({ ...this.options, resource: NAMESPACES });
    await source.run(
      (event) => {
        this.take(event);
        if (once && event === 'LISTED') listed.abort();
      },
      AbortSignal.any([signal, listed.signal]),
    );
  }

  private take(event: WatchSourceEvent | ListedMark): void {
    if (event === 'LISTED') return;
    const name = event.object.metadata.name ?? '';
    const isServed = event.type !== 'DELETED' && this.patterns?.some((pattern) => matchNamespace(name, pattern));
    if (isServed === this.matching.has(name)) return;
    if (isServed) this.matching.add(name);
    else this.matching.delete(name);
    this.onChange();
  }
}
