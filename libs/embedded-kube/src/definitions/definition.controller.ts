// definitions: CustomResourceDefinitions: their validation, and the resources and schemas that they bring into the registry.
// A custom resource is served by the same machinery as a built-in one, with the strategy that is made here.
// May import: everything up to kinds.

import type { ResourceRegistry } from '../resources/resource.registry.js';
import { StatusError } from '../errors/status.error.js';
import { EventLoopTurns } from '../common/event-loop.turns.js';
import type { KubeObject } from '../resources/kube-object.js';
import type { Logger } from '../common/logger.js';
import type { ObjectDeleter } from '../machinery/object.deleter.js';
import type { WatchService } from '../machinery/watch.service.js';
import type { ObjectStore } from '../storage/object.store.js';
import type { StoredObject, StorageEvent } from '../storage/stored.object.js';
import { ConversionCache } from './conversion/conversion.cache.js';
import type { ConversionWebhook } from './conversion/conversion.webhook.js';
import { servedResources, storageResource } from './definition.resources.js';
import type { DefinitionStatuses } from './definition.statuses.js';
import { CLEANUP_FINALIZER, type Definition, DEFINITIONS } from './definition.types.js';

/**
 * The controller that serves the resources of CRDs as soon as they are written: there is no delay between a CRD and its resource. A CRD
 * that is deleted is removed once its last object is.
 */
export class DefinitionController {
  private readonly subscriptions: (() => void)[] = [];
  private readonly turns = new EventLoopTurns();
  /** The conversions of the resources whose definitions have a webhook for them, by storage key. */
  private readonly conversions = new Map<string, ConversionCache>();

  constructor(
    private readonly store: ObjectStore,
    private readonly registry: ResourceRegistry,
    private readonly watches: WatchService,
    private readonly deleter: ObjectDeleter,
    private readonly statuses: DefinitionStatuses,
    private readonly logger: Logger,
    private readonly webhook: ConversionWebhook,
  ) {}

  start(): void {
    for (const stored of this.collection.list()) this.settle(stored);
    this.subscriptions.push(
      this.collection.subscribe((event) => this.onDefinition(event)),
      this.store.subscribe((event) => this.onObject(event)),
    );
  }

  stop(): void {
    for (const end of this.subscriptions.splice(0)) end();
  }

  /** Serves exactly the stored definitions, which may be others than before. */
  restart(): void {
    this.stop();
    const custom = this.registry.stored().filter((served) => served.custom);
    for (const { resource } of custom) this.registry.remove(resource.group, resource.plural);
    this.conversions.clear();
    this.start();
  }

  private get collection() {
    return this.store.collection(DEFINITIONS);
  }

  private onDefinition({ type, current }: StorageEvent): void {
    if (type === 'DELETED') this.unserve(current.object as Definition);
    else if (this.collection.get('', current.name) === current) this.settle(current);
  }

  /** Removes a definition that waits for the end of its objects after the last of them. */
  private onObject({ type, collection, current }: StorageEvent): void {
    this.conversions.get(collection)?.remember(current.object, type === 'DELETED');
    if (type !== 'DELETED' || collection === DEFINITIONS) return;
    const definition = this.collection.get('', collection);
    if (definition?.object.metadata.deletionTimestamp) this.release(definition);
  }

  private settle(stored: StoredObject): void {
    const definition = stored.object as Definition;
    if (definition.metadata.deletionTimestamp) {
      this.serve(definition);
      void this.clean(stored).catch((error: unknown) =>
        this.logger.error(`Cannot clean ${stored.name}: ${String(error)}`),
      );
      return;
    }
    // The store reports the write as a change, and the definition is served then.
    if (this.statuses.update(stored)) return;
    const { status } = definition;
    const established = status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True');
    if (established) this.serve(definition);
  }

  private serve(definition: Definition): void {
    const { group, names } = definition.spec;
    const next = servedResources(definition, this.conversionsOf(definition));
    const versions = new Set(next.map(({ resource }) => resource.version));
    const gone = this.registry
      .group(group)
      ?.versions.some(({ version, resources }) =>
        resources.some(({ resource }) => resource.plural === names.plural && !versions.has(version)),
      );
    if (gone) this.unserve(definition);
    for (const served of next) this.registry.add(served);
  }

  private conversionsOf(definition: Definition): ConversionCache | undefined {
    const { group, names, conversion } = definition.spec;
    const key = `${names.plural}.${group}`;
    this.conversions.delete(key);
    if (conversion?.strategy !== 'Webhook') return undefined;
    const conversions = new ConversionCache(definition, this.webhook, this.store);
    this.conversions.set(key, conversions);
    return conversions;
  }

  private unserve({ spec }: Definition): void {
    this.registry.remove(spec.group, spec.names.plural);
    const key = `${spec.names.plural}.${spec.group}`;
    this.watches.end(key);
    // What a resource was before its definition was deleted must not be taken for what it is after it is defined again.
    this.store.collection(key).history.expire(this.store.revision);
  }

  private async clean(stored: StoredObject): Promise<void> {
    const served = storageResource(stored.object as Definition);
    for (const { namespace, name } of this.store.collection(served.storageKey).list()) {
      await this.deleter.delete(served, namespace, name, { admitted: true }).catch((error: unknown) => {
        if (!(error instanceof StatusError) || error.code !== 404) throw error;
      });
      const pause = this.turns.step();
      if (pause) await pause;
    }
    const current = this.collection.get('', stored.name);
    if (current) this.release(current);
  }

  private release(stored: StoredObject): void {
    const { spec, metadata } = stored.object as Definition;
    if (this.store.collection(`${spec.names.plural}.${spec.group}`).size > 0) return;
    if (!metadata.finalizers?.includes(CLEANUP_FINALIZER)) return;
    const { finalizers = [], ...rest } = metadata;
    const left = finalizers.filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
    if (left.length > 0) {
      const next = { ...stored.object, metadata: { ...rest, finalizers: left } };
      this.store.update(DEFINITIONS, stored, next as KubeObject);
    } else {
      this.store.delete(DEFINITIONS, stored);
    }
  }
}
