import type { Clock, Random } from 'kube-common';
import type { StatusError } from '../errors/status.error.js';
import { futureVersion, notFound } from '../errors/status.errors.js';
import { resourceName, type ServedResource } from '../resources/served.resource.js';
import { StoreReplica } from '../storage/store.replica.js';
import type { ObjectStore } from '../storage/object.store.js';
import type { StoredObject } from '../storage/stored.object.js';
import { type ListOptions, type ObjectList, ObjectLister } from './object.lister.js';
import { type WatchEncoder, WatchService } from './watch.service.js';
import { WatchStream } from './watch.stream.js';

/** The time to wait for a version that the member does not have yet, in milliseconds. */
const PATIENCE = 3000;

/** The dependencies of lagging members. */
export interface MemberContext {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  /** The number of changes of each resource that a member keeps. */
  readonly historySize: number;
  /** The time between two bookmarks, in milliseconds. */
  readonly bookmarkInterval: number;
}

/**
 * An API server of the cluster whose watch cache is behind: requests that clients may have answered from a cache get its state, all others
 * the newest one, as from a real member whose watches of etcd are late.
 */
export class LaggingMember {
  private readonly replica: StoreReplica;
  private readonly lister: ObjectLister;
  private readonly watches: WatchService;
  private readonly waits = new Set<() => void>();
  private ended = false;

  /** @throws RangeError if the member cannot be at the revision */
  constructor(
    private readonly context: MemberContext,
    revision: number,
  ) {
    this.replica = new StoreReplica(context.store, revision, context.historySize);
    this.lister = new ObjectLister(this.replica.store);
    this.watches = new WatchService(this.replica.store, context.clock, context.random, context.bookmarkInterval);
  }

  /** The revision that the member has seen. */
  get revision(): number {
    return this.replica.store.revision;
  }

  /** The number of watches that the member serves. */
  get openWatches(): number {
    return this.watches.size;
  }

  /** Whether the member has stopped answering. */
  get isEnded(): boolean {
    return this.ended;
  }

  /**
   * Reads an object as it is at least at a version.
   *
   * @throws StatusError 404, or 504 if the member does not get so far in time
   */
  async get(served: ServedResource, namespace: string, name: string, version: string): Promise<StoredObject> {
    await this.assertReached(version);
    const found = this.replica.store.collection(served.storageKey).get(namespace, name);
    if (!found) throw notFound(resourceName(served), name);
    return found;
  }

  /**
   * Lists objects.
   *
   * @returns `undefined` if the list has to be consistent: then the newest state answers, once the member has waited in vain
   * @throws StatusError 400, 410, or 504 if the member does not get so far in time
   */
  async list(
    served: ServedResource,
    namespace: string | undefined,
    options: ListOptions,
  ): Promise<ObjectList | undefined> {
    if (options.continue) return undefined;
    if (options.resourceVersion === '') {
      await this.reached(this.replica.newest);
      return undefined;
    }
    await this.assertReached(options.resourceVersion);
    return this.lister.list(served, namespace, options);
  }

  /**
   * Opens a watch of what the member sees. A watch from a version that it does not have yet is silent until then.
   *
   * @returns `undefined` if the member has caught up and ended: then the newest state is watched
   * @throws StatusError 400
   */
  async watch(
    served: ServedResource,
    namespace: string | undefined,
    options: ListOptions,
    encoder: WatchEncoder,
  ): Promise<WatchStream | undefined> {
    const { resourceVersion: version, sendInitialEvents } = options;
    const isConsistent = version === '' && sendInitialEvents !== false;
    const wanted = isConsistent ? String(this.replica.newest) : sendInitialEvents ? version : '';
    if (wanted && !(await this.reached(Number(wanted)))) return failed(encoder, futureVersion(wanted, this.revision));
    return this.ended ? undefined : this.watches.watch(served, namespace, options, encoder);
  }

  /** Takes over the changes up to a revision; `Infinity` for all, also later ones. */
  advance(revision: number): void {
    if (this.ended) return;
    this.replica.advance(revision);
    this.endIfUnused();
  }

  /** Stops answering; its watches end. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    for (const wait of this.waits) wait();
    this.watches.end();
    this.replica.stop();
  }

  /** Ends the member if it has no watches: it has caught up, and gets no other requests any more. */
  private endIfUnused(): void {
    if (this.replica.isUnlimited && this.watches.size === 0) this.end();
  }

  private async assertReached(version: string): Promise<void> {
    if (!(await this.reached(Number(version)))) throw futureVersion(version, this.revision);
  }

  private reached(revision: number): Promise<boolean> {
    // A version that cannot be read is for others to complain about.
    if (!(this.revision < revision) || this.ended) return Promise.resolve(!(this.revision < revision));
    return new Promise((resolve) => {
      const settle = (): void => {
        timer.cancel();
        unsubscribe();
        this.waits.delete(settle);
        resolve(this.revision >= revision);
      };
      const timer = this.context.clock.setTimer(settle, PATIENCE);
      const unsubscribe = this.replica.store.subscribe(() => this.revision >= revision && settle());
      this.waits.add(settle);
    });
  }
}

/** All lagging members of a server. */
export class LaggingMembers {
  private readonly members = new Set<LaggingMember>();

  constructor(private readonly context: MemberContext) {}

  /** The number of watches that the members serve. */
  get openWatches(): number {
    let count = 0;
    for (const member of this.members) count += member.openWatches;
    return count;
  }

  /**
   * Adds a member.
   *
   * @param version where it stands. Defaults to the newest one.
   * @throws RangeError if it cannot stand there
   */
  add(version = String(this.context.store.revision)): LaggingMember {
    for (const each of this.members) if (each.isEnded) this.members.delete(each);
    const member = new LaggingMember(this.context, Number(version));
    this.members.add(member);
    return member;
  }

  end(): void {
    for (const member of this.members) member.end();
    this.members.clear();
  }
}

function failed(encoder: WatchEncoder, error: StatusError): WatchStream {
  const stream = new WatchStream(undefined);
  stream.push(encoder.error(error));
  stream.end();
  return stream;
}
