import { LinkedSignal } from '../common/linked.signal.js';
import { ObjectReader } from '../client/api/object.reader.js';
import { WatchSource } from '../client/watch/watch.source.js';
import type { KubeWatchEvent, ListedMark } from '../client/watch/watch.event.js';
import type { WatchEnvironment } from '../client/watch/watch.environment.js';
import { resolveSelectors } from '../resources/resource-selector.js';
import { type Resource, resourceKey } from '../resources/resources.js';
import type { MetadataFollower, RelatedReader } from './metadata.follower.js';

/** One watch, for all who follow its resource. */
interface RelationWatch {
  readonly resource: Resource;
  readonly ending: LinkedSignal;
  isListed: boolean;
}

/** Watches the metadata of related objects in a session, each resource once. */
export class RelationWatching {
  private readonly watches = new Map<string, RelationWatch>();
  private readonly resources = new Map<MetadataFollower, readonly Resource[]>();
  /** The events that wait until owners were read. */
  private readonly tails = new Map<MetadataFollower, Promise<void>>();
  private readonly read: RelatedReader;
  private lastLearnt: ReadonlySet<MetadataFollower> = new Set();

  constructor(
    /** Lists all followers; others are added when modules are loaded lazily. */
    private readonly list: () => readonly MetadataFollower[],
    private readonly environment: WatchEnvironment,
  ) {
    const reader = new ObjectReader(environment.api);
    this.read = (resource, identity) => reader.read(resource, identity);
    for (const follower of list()) follower.reset();
  }

  /** The followers of whose resources the last adjustment has found some that were not there before; at first, none of them. */
  get learnt(): ReadonlySet<MetadataFollower> {
    return this.lastLearnt;
  }

  /** Starts the watches that are missing, and stops those that are not needed any more. */
  adjust(available: readonly Resource[], namespaces: readonly (string | undefined)[], signal: AbortSignal): void {
    const wanted = new Map<string, [Resource, string | undefined]>();
    const learnt = new Set<MetadataFollower>();
    const known = new Set(this.resources.keys());
    const fresh = new Set<string>();
    for (const follower of this.list()) {
      const { resources } = resolveSelectors(follower.selectors, available, 'watched');
      const watched = resources.filter(({ verbs }) => verbs.includes('list') && verbs.includes('watch'));
      const before = this.resources.get(follower)?.map(resourceKey);
      if (before && watched.some((resource) => !before.includes(resourceKey(resource)))) learnt.add(follower);
      this.resources.set(follower, watched);
      if (known.size > 0 && !known.has(follower)) for (const resource of watched) fresh.add(resourceKey(resource));
      follower.bind(watched, available, this.read);
      for (const resource of watched)
        for (const namespace of resource.namespaced ? namespaces : [undefined])
          wanted.set(`${resourceKey(resource)}/${namespace ?? ''}`, [resource, namespace]);
    }
    for (const [key, { ending, resource }] of this.watches) {
      // A follower that has come later needs the objects that the others have got already.
      if (wanted.has(key) && !fresh.has(resourceKey(resource))) continue;
      ending.abort();
      this.watches.delete(key);
    }
    for (const [key, [resource, namespace]] of wanted)
      if (!this.watches.has(key)) this.watches.set(key, this.start(resource, namespace, signal));
    this.noteComplete();
    this.lastLearnt = learnt;
  }

  private start(resource: Resource, namespace: string | undefined, signal: AbortSignal): RelationWatch {
    const ending = new LinkedSignal(signal);
    const watch: RelationWatch = { resource, ending, isListed: false };
    const source = new WatchSource({ ...this.environment.options, resource, namespace, isMetadataOnly: true });
    void source.run((event) => this.take(event, watch), ending.signal);
    return watch;
  }

  private take(event: KubeWatchEvent | ListedMark, watch: RelationWatch): void {
    if (event === 'LISTED') {
      watch.isListed = true;
      this.noteComplete();
      return;
    }
    for (const [follower, resources] of this.resources)
      if (resources.includes(watch.resource)) this.deliver(follower, () => follower.take(event, watch.resource));
  }

  /** A follower is complete once all of its resources are listed; at once, if the cluster has none of them. */
  private noteComplete(): void {
    for (const [follower, resources] of this.resources) {
      const watches = [...this.watches.values()].filter(({ resource }) => resources.includes(resource));
      const isComplete = watches.every(({ isListed }) => isListed);
      this.deliver(follower, () => follower.setComplete(isComplete));
    }
  }

  /** Keeps the order of events where one has to wait. */
  private deliver(follower: MetadataFollower, deliver: () => void | Promise<void>): void {
    const waiting = this.tails.get(follower);
    const delivered = waiting ? waiting.then(deliver) : deliver();
    if (!delivered) return;
    const tail = delivered
      .catch((error: unknown) => this.environment.logger.error('The owners of an object could not be read.', error))
      .finally(() => {
        if (this.tails.get(follower) === tail) this.tails.delete(follower);
      });
    this.tails.set(follower, tail);
  }
}
