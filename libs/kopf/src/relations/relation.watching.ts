import { LinkedSignal } from '../common/linked.signal.js';
import { ObjectReader } from '../client/api/object.reader.js';
import { selectOnServer } from '../client/watch/server.selectors.js';
import { WatchSource } from '../client/watch/watch.source.js';
import type { KubeWatchEvent, ListedMark } from '../client/watch/watch.event.js';
import type { WatchEnvironment } from '../client/watch/watch.environment.js';
import { resolveSelectors } from '../resources/resource-selector.js';
import { isWatchable, type Resource, resourceKey } from '../resources/resources.js';
import type { MetadataObserver, RelatedReader } from './metadata.observer.js';

/** One watch for all observers of its resource. */
interface RelationWatch {
  readonly key: string;
  readonly resource: Resource;
  readonly generation: number;
  readonly ending: LinkedSignal;
  /** Absent until the objects were listed, or until it is known that they cannot be listed for the time being. */
  state?: 'listed' | 'unavailable';
}

/** The watches of related objects' metadata in a session, one for each resource. */
export class RelationWatching {
  private readonly watches = new Map<string, RelationWatch>();
  /**
   * The generation in which each observer was added: observers that are added later get new watches, as the existing ones do not list
   * again.
   */
  private readonly generations = new Map<MetadataObserver, number>();
  private generation = 0;
  /**
   * The keys of the resources that are watched for each observer. Each discovery creates other `Resource` objects for the same resources.
   */
  private readonly keys = new Map<MetadataObserver, ReadonlySet<string>>();
  /** For each observer, the end of its queue of events that wait until owners were read. */
  private readonly tails = new Map<MetadataObserver, Promise<void>>();
  private readonly read: RelatedReader;
  private lastLearnt: ReadonlySet<MetadataObserver> = new Set();

  constructor(
    private readonly observers: () => readonly MetadataObserver[],
    private readonly environment: WatchEnvironment,
  ) {
    const reader = new ObjectReader(environment.api);
    this.read = (resource, identity) => reader.read(resource, identity);
  }

  /** The observers that had got further resources in the last adjustment; empty after the first one. */
  get learnt(): ReadonlySet<MetadataObserver> {
    return this.lastLearnt;
  }

  /** Starts missing watches, and stops those that are not needed any more. */
  adjust(available: readonly Resource[], namespaces: readonly (string | undefined)[], signal: AbortSignal): void {
    const wanted = new Map<string, [Resource, string | undefined, number]>();
    const observers = this.updateObservers();
    const learnt = new Set<MetadataObserver>();
    for (const observer of observers) {
      const generation = this.generations.get(observer)!;
      const { resources } = resolveSelectors(observer.selectors, available, 'watched');
      const watched = resources.filter(isWatchable);
      const keys = new Set(watched.map(resourceKey));
      const before = this.keys.get(observer);
      if (before && [...keys].some((key) => !before.has(key))) learnt.add(observer);
      this.keys.set(observer, keys);
      observer.bind(watched, available, this.read);
      for (const resource of watched)
        for (const namespace of resource.namespaced ? namespaces : [undefined])
          wanted.set(`${resourceKey(resource)}/${namespace ?? ''}/${generation}`, [resource, namespace, generation]);
    }
    for (const [key, watch] of this.watches) {
      if (wanted.has(key)) continue;
      this.watches.delete(key);
      watch.ending.abort();
    }
    for (const [key, [resource, namespace, generation]] of wanted)
      if (!this.watches.has(key)) this.watches.set(key, this.start(resource, namespace, generation, signal));
    this.updateCompleteness();
    this.lastLearnt = learnt;
  }

  /** Prepares added observers, and forgets removed ones. */
  private updateObservers(): readonly MetadataObserver[] {
    const observers = this.observers();
    const fresh = observers.filter((observer) => !this.generations.has(observer));
    if (fresh.length > 0) this.generation += 1;
    for (const observer of fresh) {
      observer.reset();
      this.generations.set(observer, this.generation);
    }
    for (const observer of [...this.generations.keys()].filter((each) => !observers.includes(each))) {
      this.generations.delete(observer);
      this.keys.delete(observer);
    }
    return observers;
  }

  private start(
    resource: Resource,
    namespace: string | undefined,
    generation: number,
    signal: AbortSignal,
  ): RelationWatch {
    const ending = new LinkedSignal(signal);
    const watch: RelationWatch = { key: resourceKey(resource), resource, generation, ending };
    const source = new WatchSource({
      ...this.environment.options,
      ...selectOnServer(this.environment.settings.watching, resource),
      resource,
      namespace,
      isMetadataOnly: true,
      onUnlisted: () => {
        if (!ending.signal.aborted && !watch.state) this.settle(watch, 'unavailable');
      },
    });
    void source
      .run((event) => this.take(event, watch), ending.signal)
      .then(() => {
        // Objects that are not watched any more, as in a namespace that is not served, count as deleted.
        if (!signal.aborted) for (const deletion of source.forget()) this.take(deletion, watch);
      });
    return watch;
  }

  private settle(watch: RelationWatch, state: RelationWatch['state']): void {
    if (watch.state === state) return;
    watch.state = state;
    this.updateCompleteness();
  }

  private take(event: KubeWatchEvent | ListedMark, watch: RelationWatch): void {
    if (event === 'LISTED') return this.settle(watch, 'listed');
    for (const [observer, keys] of this.keys)
      if (keys.has(watch.key) && this.generations.get(observer) === watch.generation)
        this.deliver(observer, () => observer.take(event, watch.resource));
  }

  /**
   * Sets whether the observers are complete. An observer is complete once all of its resources are listed; at once, if the cluster has none
   * of them. A resource that cannot be listed for the time being counts as one without objects, so that the other resources are handled;
   * but if no other resource is listed, the observer waits for it.
   */
  private updateCompleteness(): void {
    for (const [observer, keys] of this.keys) {
      const watches = [...this.watches.values()].filter(
        ({ key, generation }) => keys.has(key) && generation === this.generations.get(observer),
      );
      const isComplete =
        watches.every(({ state }) => state !== undefined) &&
        (watches.length === 0 || watches.some(({ state }) => state === 'listed'));
      this.deliver(observer, () => observer.setComplete(isComplete));
    }
  }

  /** Keeps the order of the events of an observer when one of them has to wait. */
  private deliver(observer: MetadataObserver, deliver: () => void | Promise<void>): void {
    const waiting = this.tails.get(observer);
    const delivered = waiting ? waiting.then(deliver) : deliver();
    if (!delivered) return;
    const tail = delivered
      .catch((error: unknown) => this.environment.logger.error('The owners of an object could not be read.', error))
      .finally(() => {
        if (this.tails.get(observer) === tail) this.tails.delete(observer);
      });
    this.tails.set(observer, tail);
  }
}
