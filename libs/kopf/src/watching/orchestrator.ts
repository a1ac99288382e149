// watching: the source of events. The orchestrator decides which resources are watched in which namespaces; a watcher keeps the watch of
// each of them alive; queues pass the events of each object one after another to handling/.
// May import: client, registry, coordination, indexing (for the gate), and what these may import.

import type { DiscoveryClient } from '../client/api/discovery.client.js';
import { selectOnServer } from '../client/watch/server.selectors.js';
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

/** Seconds before the resources are looked up again while some are missing; the last delay repeats. */
const RESCAN_DELAYS = [0.25, 1, 3, 10, 30];

/** Seconds between checks whether the objects of removed handlers are released. */
const RELEASE_POLLING = 1;

/** Seconds for which the operator waits for the API server to serve a CRD that the application has created. */
const PATIENCE = 5;

/** The dependencies of the orchestrator. */
export interface OrchestratorOptions {
  readonly registry: HandlerRegistry;
  readonly settings: KopfSettings;
  readonly discovery: DiscoveryClient;
  /** The coordination, which adjusts to the resources before any of them is watched; absent if the operator works alone. */
  readonly coordination?: Coordination;
  /** The admission of objects, which adjusts to the resources, too; it needs no watches. */
  readonly admission?: { adjust(available: readonly Resource[]): ResourceSelection };
  /** Called when it is known which resources are watched, and their watches have begun. */
  readonly onWatching?: () => void;
  /** The watches of related objects; absent if no handler needs any. */
  readonly relations?: RelationWatching;
  /** The engine of daemons and timers, which stops those of removed handlers; absent if there are none. */
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

/**
 * The orchestrator of the watches: it keeps all resources of the handlers watched, in all served namespaces, while resources and namespaces
 * come and go.
 */
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
  /** The selectors of the handlers that were added or removed since the last adjustment. */
  private touched: ResourceSelector[] = [];

  constructor(private readonly options: OrchestratorOptions) {
    this.namespaces = options.namespaces(() => this.changed.raise());
  }

  /** The error of the last look-up of resources; `undefined` if it has succeeded. */
  get failure(): unknown {
    return this.lookupError;
  }

  /** Whether the resources were looked up, so that only their objects remain to be listed. */
  get isLookedUp(): boolean {
    return this.isAnnounced;
  }

  /**
   * Looks up the resources, and keeps the watchers adjusted to them until the signal is aborted.
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
    const handlers = this.options.registry.changes$.subscribe((change) => this.onHandlersChanged(change));
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

  /** Calls `onSettled` after the first lists, once it is known which resources are listed. */
  private announce(onSettled: () => void): void {
    if (this.isAnnounced || this.isAwaiting || !this.namespaces.isSettled) return;
    this.isAnnounced = true;
    void this.options.watcher.settled().then(onSettled);
  }

  /** Adjusts the watchers for the first time. Retries for as long as the API server cannot be reached. */
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
      watcher.setUnserved(findUnserved(selections));
    }
    const targets = selection.resources.flatMap((resource) => this.targetsOf(resource));
    await watcher.adjust(targets, watcherFactory, (target) => this.isGone(target));
    if (areNamespacesKnown) this.options.onWatching?.();
    // Added handlers may match objects that were listed before.
    if (touched.length > 0) await watcher.relist((resource) => touched.some((selector) => selector.check(resource)));
    const learnt = relations?.learnt;
    // The parents' resource may have been created after their children were listed.
    if (learnt?.size) await watcher.relist((resource) => registry.hasParentsIn(resource, learnt));
  }

  /** Whether the API server does not serve yet a CRD that the application has just created. */
  private awaits(selections: readonly ResourceSelection[]): boolean {
    const { installed, clock } = this.options;
    if (!installed || clock.monotonic() - this.startedAt > PATIENCE * 1000) return false;
    return selections.some(({ unresolved }) =>
      unresolved.some((selector) => installed().some((each) => selector.check(each))),
    );
  }

  /** Looks up the resources of the cluster. Changes that are reported in the meantime lead to another look-up. */
  private async lookUp(discovery: DiscoveryClient, signal: AbortSignal): Promise<void> {
    this.isStale = false;
    try {
      const found = await discovery.scan({ signal, onRetry: (error) => (this.lookupError = error) });
      this.lookupError = undefined;
      const unavailable = new Set(discovery.unavailable);
      const known = new Set(found.map(resourceKey));
      // While the server of an aggregated API does not answer, its resources are assumed to be unchanged.
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
   * Adjusts the watchers. If this fails, they stay as they are until the next attempt.
   *
   * @returns whether the adjustment has succeeded.
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
    // On replicas on standby, indices are kept up to date only if reviews may read them.
    const isReviewed = indexing.length > 0 && registry.allAdmission().length > 0;
    const variant = JSON.stringify([labelSelector, fieldSelector, indexing.map(({ id }) => id), isReviewed]);
    if (!resource.namespaced) return [{ resource, namespace: undefined, variant }];
    return this.namespaces.served.map((namespace) => ({ resource, namespace, variant }));
  }

  private onHandlersChanged({ added, removed }: RegistryChange): void {
    this.touched.push(...[...added, ...removed].flatMap(({ selector }) => selector ?? []));
    const { background, logger } = this.options;
    background?.dismiss(removed).catch((error: unknown) => logger.error('Daemons could not be stopped.', error));
    this.changed.raise();
  }

  /** Whether the setting `scanning.disabled` forbids further look-ups. */
  private get isFrozen(): boolean {
    return this.options.settings.scanning.disabled && this.isAnnounced;
  }

  /** Seconds before the next look-up, unless a change is reported earlier; `undefined` if only a change leads to one. */
  private nextDelay(): number | undefined {
    if (this.options.registry.hasRetired) return RELEASE_POLLING;
    if (!this.isStale || this.isFrozen) return undefined;
    return this.rescans.next();
  }

  private async observeCrds(signal: AbortSignal): Promise<void> {
    const selectors = selectOnServer(this.options.settings.watching, CRDS);
    const source = new WatchSource({ ...this.options.watching, resource: CRDS, ...selectors });
    await source.run((event) => {
      // A listed CRD is a change only if it was created after the look-up.
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
