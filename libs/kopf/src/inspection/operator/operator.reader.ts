import { errorText } from 'kube-common';
import { nameServicePath } from '../../admission/configuration/webhooks.js';
import { conversionPathOf } from '../../conversion/conversion.stanza.js';
import { KOPF_CHANNELS, type DiagnosticChannel, type DiagnosticMessage } from '../../diagnostics/channels.js';
import { OperatorSubscriptions } from '../../diagnostics/operator.subscriptions.js';
import { HandlerLabels } from '../../registry/handler.labels.js';
import { qualifiedName } from '../../resources/resources.js';
import type { WatcherStatus } from '../../watching/watcher.set.js';
import type {
  BackgroundReading,
  IndexReading,
  LogReading,
  ObjectReading,
  OperatorReadings,
  OperatorSignals,
  OperatorStatus,
  OperatorStream,
  PeeringReading,
  QueueReading,
  ReviewReading,
  WatchReading,
} from '../operator.readings.js';
import type { InspectedServices } from './inspected.services.js';

/** The reader of an operator's own counts. Metrics, health, and the console read them here, so that they cannot disagree. */
export class OperatorReader implements OperatorReadings {
  private readonly labels: HandlerLabels;
  private readonly streams = new Set<OperatorStream>();

  constructor(private readonly services: InspectedServices) {
    this.labels = new HandlerLabels(services.registry);
  }

  get name(): string {
    return this.services.identity.name;
  }

  status(): OperatorStatus {
    const { lifecycle, watchers, vault, options, settings } = this.services;
    const { state, since, required, waitingFor, failure, nextAttemptAt, pauseStatus } = lifecycle;
    const { name } = options.coordination === 'lease' ? settings.lease : settings.peering;
    return {
      state,
      since,
      required,
      waitingFor,
      ...(state === 'failed' && { failure: errorText(failure) }),
      nextAttemptAt,
      paused: pauseStatus.reasons,
      leadership: { name, isHeld: lifecycle.engine?.leadership.isValid ?? false },
      ...(vault.failure && { credentialsFailure: errorText(vault.failure) }),
      unserved: watchers.unserved.map(({ resource, reason, handlers }) => ({ resource, reason, handlers })),
      objects: lifecycle.objects,
    };
  }

  watches(): readonly WatchReading[] {
    return this.services.watchers.states.map(readWatch);
  }

  queues(): readonly QueueReading[] {
    const { watchers, settings } = this.services;
    const { workerLimit, workerLimitPerKind } = settings.queueing;
    const limit = Math.min(workerLimit ?? Infinity, workerLimitPerKind ?? Infinity);
    const limited = limit === Infinity ? {} : { limit };
    const queues = new Map<string, QueueReading>();
    for (const { resource, waiting, running } of watchers.loads) {
      const name = qualifiedName(resource);
      const others = queues.get(name) ?? { waiting: 0, running: [] };
      const both = { waiting: others.waiting + waiting, running: [...others.running, ...running] };
      queues.set(name, { resource: name, ...both, ...limited });
    }
    return [...queues.values()];
  }

  background(): readonly BackgroundReading[] {
    const { registry, lifecycle } = this.services;
    const counts = new Map<string, { handler: string; kind: 'daemon' | 'timer'; running: number; stopping: number }>();
    for (const { id, kind } of registry.allSpawning()) {
      if (kind === 'daemon' || kind === 'timer') {
        counts.set(`${kind} ${id}`, { handler: id, kind, running: 0, stopping: 0 });
      }
    }
    for (const { handler, isStopping } of lifecycle.engine?.background.all ?? []) {
      const count = counts.get(`${handler.kind} ${handler.id}`);
      if (count) count[isStopping ? 'stopping' : 'running'] += 1;
    }
    return [...counts.values()];
  }

  objects(): ObjectReading {
    return this.services.lifecycle.engine?.inventory.count() ?? { unseen: 0, throttled: 0 };
  }

  indices(): readonly IndexReading[] {
    const { indices } = this.services;
    return indices.names.map((id) => ({ id, keys: indices.get(id).size }));
  }

  peerings(): readonly PeeringReading[] {
    const { peering, settings } = this.services;
    const operators = new Map<string, Set<string>>([[settings.peering.name, new Set()]]);
    for (const { name, peers } of peering.status) {
      const identities = operators.get(name) ?? new Set();
      for (const { identity } of peers) identities.add(identity);
      operators.set(name, identities);
    }
    return [...operators].map(([name, identities]) => ({ name, operators: identities.size }));
  }

  reviews(): ReviewReading {
    const { registry, dispatcher, indices, freshness } = this.services;
    const { isServing, reviewing } = dispatcher;
    const [missing] = isServing && indices.names.length > 0 ? freshness.findAllMissing() : [];
    const handlers = registry.allAdmission().length;
    return { handlers, isServing, inProgress: reviewing, ...(missing !== undefined && { missing }) };
  }

  logs(): LogReading {
    return this.services.logs;
  }

  labelOfHandler(id: string): string {
    return this.labels.of(id);
  }

  labelsOfWebhooks(): ReadonlyMap<string, string> {
    const { registry } = this.services;
    const handlers = registry
      .allAdmission()
      .flatMap(({ id }) => [[nameServicePath(id), id] as const, [id, id] as const]);
    const conversions = registry.allConversions().map(({ definition }) => conversionPathOf(definition));
    return new Map([...handlers, ...conversions.map((path) => [path, path] as const)]);
  }

  stream(): OperatorStream {
    const stream = new RunningOperatorStream(this.services, () => this.streams.delete(stream));
    this.streams.add(stream);
    return stream;
  }

  /** Closes all streams. */
  close(): void {
    for (const stream of this.streams) stream.close();
  }
}

/** The stream over the channels and states of an operator in this process. */
class RunningOperatorStream implements OperatorStream {
  private readonly subscriptions: OperatorSubscriptions;

  constructor(
    private readonly services: InspectedServices,
    private readonly onClose: () => void,
  ) {
    this.subscriptions = new OperatorSubscriptions(services.identity);
  }

  on<Name extends keyof OperatorSignals>(name: Name, listener: (signal: OperatorSignals[Name]) => void): this {
    const { lifecycle, watchers, registry } = this.services;
    const take = listener as (signal: unknown) => void;
    if (name === 'state') this.subscriptions.observe(lifecycle.state$, take);
    else if (name === 'watchState') {
      this.subscriptions.observe(watchers.changes$, ({ resource }) => {
        const { watching, owned, spawning, indexing } = registry.handlersOf(resource);
        const handlers = [...watching, ...owned, ...spawning, ...indexing].map(({ id }) => id);
        take({ resource, handlers });
      });
    } else {
      const channel = KOPF_CHANNELS[name as keyof typeof KOPF_CHANNELS] as DiagnosticChannel<DiagnosticMessage>;
      this.subscriptions.subscribe(channel, take);
    }
    return this;
  }

  close(): void {
    this.subscriptions.close();
    this.onClose();
  }
}

/** Returns what the operator knows of a watch. */
export function readWatch(status: WatcherStatus): WatchReading {
  const { resource, namespace, state, since, lastEventAt, resourceVersion, objects, restarts, lastError } = status;
  return {
    resource: qualifiedName(resource),
    kind: resource.kind,
    namespace,
    state,
    since,
    lastEventAt,
    resourceVersion,
    objects,
    restarts,
    ...(lastError !== undefined && { error: errorText(lastError) }),
  };
}
