import { LinkedSignal } from '../common/linked.signal.js';
import { selectOnServer } from '../client/watch/server.selectors.js';
import { WatchSource } from '../client/watch/watch.source.js';
import type { ListedMark, KubeWatchEvent } from '../client/watch/watch.event.js';
import type { WatchSourceOptions } from '../client/watch/watch.requests.js';
import { matchNamespace, selectSpecificNamespaces, type NamespacePattern } from '../resources/namespaces.js';
import { NAMESPACES } from './well-known.resources.js';

/** The served namespaces; a single `undefined` stands for the whole cluster. */
export type ServedNamespaces = readonly (string | undefined)[];

/**
 * The observer of the served namespaces. Only patterns are looked up in the cluster: named namespaces are served whether they exist or not,
 * and without the permission to list namespaces.
 */
export class NamespaceObserver {
  private readonly specific: ReadonlySet<string>;
  private readonly matching = new Set<string>();
  private readonly isDynamic: boolean;
  private isListed = false;

  constructor(
    private readonly patterns: readonly NamespacePattern[] | undefined,
    private readonly options: Omit<WatchSourceOptions, 'resource' | 'namespace' | 'onStatus'>,
    /** Called when the served namespaces change, and when all of them are known for the first time. */
    private readonly onChange: () => void,
  ) {
    // No namespace has brackets in its name: a name with brackets is a glob, which Kopf does not recognise as one.
    this.specific = new Set(selectSpecificNamespaces(patterns ?? []).filter((name) => !name.includes('[')));
    this.isDynamic = patterns !== undefined && new Set(patterns).size > this.specific.size;
  }

  get served(): ServedNamespaces {
    return this.patterns === undefined ? [undefined] : [...new Set([...this.specific, ...this.matching])].sort();
  }

  /** Whether the namespaces are known: they were listed, or cannot be listed for the time being. */
  get isSettled(): boolean {
    return this.isListed || !this.isDynamic;
  }

  /**
   * Observes the namespaces until the signal is aborted.
   *
   * @param once whether the namespaces are listed only once, without a watch.
   */
  async run(signal: AbortSignal, once: boolean): Promise<void> {
    if (!this.isDynamic) return;
    const ending = new LinkedSignal(signal);
    const source = new WatchSource({
      ...this.options,
      resource: NAMESPACES,
      ...selectOnServer(this.options.settings, NAMESPACES),
      onUnlisted: () => this.settle(),
    });
    await source.run((event) => {
      this.take(event);
      if (once && event === 'LISTED') ending.abort();
    }, ending.signal);
    ending.release();
  }

  private take(event: KubeWatchEvent | ListedMark): void {
    if (event === 'LISTED') return this.settle();
    const name = event.object.metadata.name ?? '';
    const isServed = event.type !== 'DELETED' && this.patterns?.some((pattern) => matchNamespace(name, pattern));
    if (isServed === this.matching.has(name)) return;
    if (isServed) this.matching.add(name);
    else this.matching.delete(name);
    this.onChange();
  }

  private settle(): void {
    if (this.isListed) return;
    this.isListed = true;
    this.onChange();
  }
}
