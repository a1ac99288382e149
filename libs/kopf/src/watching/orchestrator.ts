// watching: where events come from. The orchestrator decides which resources are watched in which namespaces, a watcher for each
// of them keeps a watch alive, and queues bring the events of one object one after another to their processing in handling/.
// May import: client, registry, coordination, indexing (for the gate), and what these may import.

import type { DiscoveryClient } from '../client/api/discovery.client.js';
import { WatchSource } from '../client/watch/watch.source.js';
import type { WatchSourceOptions } from '../client/watch/watch.requests.js';
import type { Coordination } from '../coordination/pausing/leadership.js';
import { LoginError } from '../client/vault/connection-info.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { KubeObject } from '../objects/kube-object.js';
import { type Resource, resourceApiVersion, resourceKey } from '../resources/resources.js';
import { Backoff } from '../common/backoff.js';
import { type Clock, errorText, Signal, sleep } from 'kube-common';
import type { Handler } from '../registry/handler.js';
import type { HandlerRegistry, RegistryChange } from '../registry/handler.registry.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import type { RelationWatching } from '../relations/relation.watching.js';
import type { ResourceSelection, ResourceSelector } from '../resources/resource-selector.js';
import type { WatcherSet, ResourceWatcherFactory, WatchTarget } from './watcher.set.js';
import type { NamespaceObserver } from './namespace.observer.js';
import {
  findUnserved,
  selectConvertedResources,
  selectRelatedResources,
  selectServedResources,
} from './resource.selection.js';
import { CRDS } from './well-known.resources.js';

/** Seconds until the resources are looked up again while something is missing; the last one repeats. */
const RESCAN_DELAYS = [0.25, 1, 3, 10, 30];

/** Seconds between the looks whether the objects of removed handlers are released. */
const RELEASE_POLLING = 1;

/** Seconds for which a CRD that the application has created is waited for. */
const PATIENCE = 5;

/** Lists the dependencies of the orchestrator. */
export interface OrchestratorOptions {
  readonly registry: HandlerRegistry;
  readonly settings: KopfSettings;
  readonly discovery: DiscoveryClient;
  /** Is told what there is before anything of it is watched; absent if nothing else needs to know. */
  readonly coordination?: Coordination;
  /** Is told what there is, as it is asked about objects that need not be watched. */
  readonly admission?: { adjust(available: readonly Resource[]): ResourceSelection };
  /** Called once it is known what is watched, and the watches have been begun. */
  readonly onWatching?: () => void;
  /** Watches objects that are related to those that are handled; absent if no handler asks for any. */
  readonly relations?: RelationWatching;
  /** Is told of handlers that were removed; absent if nothing runs for handlers. */
  readonly background?: { dismiss(removed: readonly Handler[]): Promise<void> };
  /** The resources whose CRDs the operator has created or checked at its start, so that the API server is about to serve them. */
  readonly installed?: () => readonly Resource[];
  readonly namespaces: (onChange: () => void) => NamespaceObserver;
  readonly watcher: WatcherSet;
  readonly watcherFactory: ResourceWatcherFactory;
  readonly watching: Omit<WatchSourceOptions, 'resource' | 'namespace' | 'onStatus'>;
  readonly clock: Clock;
  readonly logger: KopfLogger;
}

/** Decides what is watched: all resources that the handlers are for, in all namespaces that are served, as both come and go. */
export class Orchestrator {
  private readonly changed = new Signal();
  private readonly namespaces: NamespaceObserver;
  private available: readonly Resource[] = [];
  private reported = new Set<string>();
  private readonly rescans = new Backoff(() => RESCAN_DELAYS);
  private isStale = true;
  private isAnnounced = false;
  private isAwaiting = false;
  private startedAt = 0;
  private lookupError?: unknown;
  /** The selectors of the handlers that have come or gone since the last adjustment. */
  private touched: ResourceSelector[] = [];

  constructor(private readonly options: OrchestratorOptions) {
    this.namespaces = options.namespaces(() => this.changed.raise());
  }

  /** Holds why the resources could not be looked up, until they can; `undefined` if nothing has failed. */
  get failure(): unknown {
    return this.lookupError;
  }

  /** Tells whether the resources are known, so that it remains to list their objects. */
  get isLookedUp(): boolean {
    return this.isAnnounced;
  }

  /**
   * Looks up the resources, and keeps the watchers as they should be until the signal is aborted.
   *
   * @param onSettled called once, when all objects were listed for the first time.
   * @throws LoginError if there are no valid credentials.
   */
  async run(signal: AbortSignal, onSettled: () => void): Promise<void> {
    const { scanning } = this.options.settings;
    this.startedAt = this.options.clock.monotonic();
    const observing = this.namespaces.run(signal, scanning.disabled);
    await this.adjustFirst(signal);
    const crds = scanning.disabled ? Promise.resolve() : this.observeCrds(signal);
    const states = this.options.watcher.changes$.subscribe(({ state }) => {
      if (state === 'gone') this.scheduleScan();
    });
    const handlers = this.options.registry.changes$.subscribe((change) => this.noteHandlers(change));
    this.announce(onSettled);
    while (!signal.aborted) {
      await this.changed.wait(this.options.clock, this.nextDelay(), signal);
      await this.readjust(signal);
      this.announce(onSettled);
    }
    states.unsubscribe();
    handlers.unsubscribe();
    await Promise.all([observing, crds]);
  }

  /** Makes {@link settled} wait for the first lists, once it is known what is listed. */
  private announce(onSettled: () => void): void {
    if (this.isAnnounced || this.isAwaiting || !this.namespaces.isSettled) return;
    this.isAnnounced = true;
    void this.options.watcher.settled().then(onSettled);
  }

  /** Adjusts the watchers for the first time, however long the server is away. */
  private async adjustFirst(signal: AbortSignal): Promise<void> {
    while (!(await this.readjust(signal)) && !signal.aborted) {
      await sleep(this.options.clock, this.nextDelay() ?? RESCAN_DELAYS[0], signal);
    }
    this.rescans.reset();
  }

  private async adjust(signal: AbortSignal): Promise<void> {
    const { registry, discovery, watcher, watcherFactory, coordination, admission, relations } = this.options;
    const areNamespacesKnown = this.namespaces.isSettled;
    if (this.isStale && !this.isFrozen) await this.lookUp(discovery, signal);
    const touched = this.touched.splice(0);
    if (registry.hasRetired && touched.length === 0 && watcher.isResting((each) => registry.isRetired(each)))
      registry.release();
    await coordination?.adjust(this.available, this.namespaces.served);
    const selection = selectServedResources(registry, this.available);
    const admitted = admission?.adjust(this.available);
    relations?.adjust(this.available, this.namespaces.served, signal);
    const related = selectRelatedResources(registry, this.available);
    const converted = selectConvertedResources(registry, this.available);
    const selections = [selection, ...(admitted ? [admitted] : []), related, converted];
    this.isStale ||= selections.some(({ unresolved }) => unresolved.length > 0);
    this.isAwaiting = this.awaits(selections);
    if (!this.isAwaiting) {
      this.report(selections.flatMap(({ warnings }) => warnings));
      watcher.noteUnserved(findUnserved(selections));
    }
    const targets = selection.resources.flatMap((resource) => this.targetsOf(resource));
    await watcher.adjust(targets, watcherFactory, (target) => this.isGone(target));
    if (areNamespacesKnown) this.options.onWatching?.();
    // Handlers that were not there before are for objects that are known already.
    if (touched.length > 0) await watcher.relist((resource) => touched.some((selector) => selector.check(resource)));
    const learnt = relations?.learnt;
    // Children can be known for longer than the kind of their parents.
    if (learnt?.size) await watcher.relist((resource) => registry.hasParentsIn(resource, learnt));
  }

  /** Tells whether a CRD that the application has just created is not served yet, as the API server needs a moment for it. */
  private awaits(selections: readonly ResourceSelection[]): boolean {
    const { installed, clock } = this.options;
    if (!installed || clock.monotonic() - this.startedAt > PATIENCE * 1000) return false;
    return selections.some(({ unresolved }) =>
      unresolved.some((selector) => installed().some((each) => selector.check(each))),
    );
  }

  /** Looks up what the cluster has. News that come meanwhile make it out of date again. */
  private async lookUp(discovery: DiscoveryClient, signal: AbortSignal): Promise<void> {
    this.isStale = false;
    try {
      const found = await discovery.scan({ signal, onRetry: (error) => (this.lookupError = error) });
      this.lookupError = undefined;
      const unavailable = new Set(discovery.unavailable);
      const known = new Set(found.map(resourceKey));
      // What a silent server of some groups serves is still there, as far as anybody knows.
      const kept = this.available.filter(
        (resource) => unavailable.has(resourceApiVersion(resource)) && !known.has(resourceKey(resource)),
      );
      this.available = [...found, ...kept];
      this.isStale ||= unavailable.size > 0;
    } catch (error) {
      this.isStale = true;
      this.lookupError = error;
      throw error;
    }
  }

  /**
   * Adjusts the watchers once more; if this fails, they stay as they are until the next attempt.
   *
   * @returns whether it has succeeded.
   * @throws LoginError if there have never been valid credentials.
   */
  private async readjust(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    try {
      await this.adjust(signal);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      if (error instanceof LoginError && this.available.length === 0) throw error;
      const { logger } = this.options;
      logger.warn(`The cluster's resources could not be looked up, which is tried again: ${errorText(error)}`);
      return false;
    }
  }

  private isGone({ resource, namespace }: WatchTarget): boolean {
    if (namespace !== undefined && !this.namespaces.served.includes(namespace)) return true;
    return !this.available.some(({ group, plural }) => group === resource.group && plural === resource.plural);
  }

  private scheduleScan(): void {
    this.isStale = true;
    this.changed.raise();
  }

  private targetsOf(resource: Resource): readonly WatchTarget[] {
    const { registry } = this.options;
    const { indexing, commonSelector } = registry.handlersOf(resource);
    const { labelSelector, fieldSelector } = commonSelector ?? {};
    // Replicas on standby keep their indices filled for reviews only.
    const isReviewed = indexing.length > 0 && registry.allAdmission().length > 0;
    const variant = JSON.stringify([labelSelector, fieldSelector, indexing.map(({ id }) => id), isReviewed]);
    if (!resource.namespaced) return [{ resource, namespace: undefined, variant }];
    return this.namespaces.served.map((namespace) => ({ resource, namespace, variant }));
  }

  private noteHandlers({ added, removed }: RegistryChange): void {
    this.touched.push(...[...added, ...removed].flatMap(({ selector }) => selector ?? []));
    const { background, logger } = this.options;
    background?.dismiss(removed).catch((error: unknown) => logger.error('Daemons could not be stopped.', error));
    this.changed.raise();
  }

  /** Whether the resources are not looked up again, as the setting says. */
  private get isFrozen(): boolean {
    return this.options.settings.scanning.disabled && this.isAnnounced;
  }

  /** Seconds until the next look-up without any news, or `undefined` if only news matter. */
  private nextDelay(): number | undefined {
    if (this.options.registry.hasRetired) return RELEASE_POLLING;
    if (!this.isStale || this.isFrozen) return undefined;
    return this.rescans.next();
  }

  private async observeCrds(signal: AbortSignal): Promise<void> {
    const source = new WatchSource({ ...this.options.watching, resource: CRDS });
    await source.run((event) => {
      // CRDs that were listed are news only if they came after the resources were looked up.
      if (event === 'LISTED' || (event.type === null && this.isKnown(event.object))) return;
      this.rescans.reset();
      this.scheduleScan();
    }, signal);
  }

  private isKnown({ spec }: KubeObject): boolean {
    return this.available.some(({ group, plural }) => group === spec?.group && plural === spec?.names?.plural);
  }

  private report(warnings: readonly string[]): void {
    for (const warning of warnings) if (!this.reported.has(warning)) this.options.logger.warn(warning);
    this.reported = new Set(warnings);
  }
}
