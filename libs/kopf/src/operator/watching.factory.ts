import { Inject, Injectable } from '@nestjs/common';
import { DiscoveryClient } from '../client/api/discovery.client.js';
import { WatchEnvironment } from '../client/watch/watch.environment.js';
import type { Coordination } from '../coordination/pausing/leadership.js';
import { DefinitionInstaller } from '../custom-resources/definition.installer.js';
import type { KopfModuleOptions } from '../kopf.options.js';
import { InjectOwn, KOPF_OPTIONS } from '../kopf.tokens.js';
import { IndexFreshness } from '../indexing/index.freshness.js';
import { HandlerRegistry } from '../registry/handler.registry.js';
import type { NamespacePattern } from '../resources/namespaces.js';
import { WatcherSet } from '../watching/watcher.set.js';
import { NamespaceObserver } from '../watching/namespace.observer.js';
import { Orchestrator } from '../watching/orchestrator.js';
import { RelationWatching } from '../relations/relation.watching.js';
import type { SessionEngine } from './session.engine.js';
import { WatcherFactory } from './watcher.factory.js';

/** The factory of the orchestrator, which decides which resources are watched in a session. */
@Injectable()
export class WatchingFactory {
  /** There can be credentials in them, which must not be seen when the operator is printed. */
  readonly #options: KopfModuleOptions;

  constructor(
    @InjectOwn(KOPF_OPTIONS) options: KopfModuleOptions,
    @InjectOwn(HandlerRegistry) private readonly registry: HandlerRegistry,
    @InjectOwn(WatcherSet) readonly watcher: WatcherSet,
    @Inject(WatcherFactory) private readonly watchers: WatcherFactory,
    @InjectOwn(IndexFreshness) private readonly freshness: IndexFreshness,
    @InjectOwn(DefinitionInstaller) private readonly definitions: DefinitionInstaller,
    @Inject(WatchEnvironment) private readonly environment: WatchEnvironment,
  ) {
    this.#options = options;
  }

  createOrchestrator(session: SessionEngine, coordination: Coordination): Orchestrator {
    const { registry, watcher, watchers, freshness, environment } = this;
    const { api, settings, clock, logger, options: watching } = environment;
    const { namespaces } = this.#options;
    const patterns = namespaces === undefined ? undefined : toList(namespaces);
    // What an earlier session has watched does not count.
    freshness.clear();
    return new Orchestrator({
      relations: new RelationWatching(() => registry.relatedObservers(), environment),
      background: session.background,
      registry,
      settings,
      watcher,
      watching,
      coordination,
      admission: session.admission,
      onWatching: () => freshness.start(),
      clock,
      logger,
      installed: () => this.definitions.installed,
      discovery: new DiscoveryClient(api, logger),
      namespaces: (onChange) => new NamespaceObserver(patterns, watching, onChange),
      watcherFactory: (target, onStatus) => watchers.create(session, target, onStatus),
    });
  }
}

function toList(patterns: NamespacePattern | readonly NamespacePattern[]): readonly NamespacePattern[] {
  return Array.isArray(patterns) ? (patterns as readonly NamespacePattern[]) : [patterns as NamespacePattern];
}
