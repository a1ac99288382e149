// handling: one event of one object, step by step, in one cycle: recall its memory, index it, detect what has changed, call handlers of
// events, match daemons and timers, decide on the finalizer, call handlers of changes, send one patch. Each step is a class without state;
// HandlingSteps has their order, and the EventCycle is passed from one to the next.
// May import: whatever a step calls, up to watching; nothing that starts or wires the steps.

import { Inject, Injectable } from '@nestjs/common';
import { hasSubscribers, KOPF_CHANNELS, OperatorIdentity } from '../diagnostics/channels.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { ObjectLoggerFactory } from '../events/object.logger.js';
import { Throttler } from '../execution/throttler.js';
import type { Indices } from '../contexts/indices.interface.js';
import type { IndexSource } from '../indexing/index.freshness.js';
import type { ListBarrier } from '../indexing/list.barrier.js';
import type { WatchEvent } from '../objects/kube-object.js';
import type { ResourceHandlers } from '../registry/handler.registry.js';
import { type Resource, resourceKey } from '../resources/resources.js';
import type { EventConsumer } from '../watching/object.queues.js';
import type { WorkerSlot } from '../watching/worker.slot.js';
import { BackgroundHandling } from './background.handling.js';
import { CycleRunner } from './cycle.runner.js';
import { runFollowed } from './cycle.diagnostics.js';
import { EventCycle, type CycleScope } from './event.cycle.js';
import type { ObjectMemory } from './object.memory.js';
import type { SessionContext } from './session.context.js';
import { InjectOwn } from '../kopf.tokens.js';

/** The consumer of one watch's events: it passes them from the queues of the objects to the processor, with the scope that they share. */
export class ResourceEvents implements EventConsumer, CycleScope {
  /** The resource as log lines name it. */
  readonly resourceName: string;

  constructor(
    private readonly processor: EventProcessor,
    readonly session: SessionContext,
    readonly resource: Resource,
    private readonly lookup: (resource: Resource) => ResourceHandlers,
    readonly indices: Indices,
    /** The barrier that counts the listed objects until they are indexed; absent if the resource has no indices. */
    readonly barrier?: ListBarrier,
    /** The state of the watch for the indices; absent if no reviews read them. */
    readonly indexSource?: IndexSource,
  ) {
    this.resourceName = resourceKey(resource);
  }

  /** The present handlers of the resource. */
  get handlers(): ResourceHandlers {
    return this.lookup(this.resource);
  }

  process(event: WatchEvent, key: string, slot: WorkerSlot): Promise<void> {
    return this.processor.process(this, event, key, slot);
  }
}

/**
 * The processor of queued events. For each event of an object, it recalls the object's memory, shows the newest state to daemons and
 * timers, and runs one cycle, or several if the operator has to read the object.
 */
@Injectable()
export class EventProcessor {
  private readonly errorDelays = (): readonly number[] => this.settings.queueing.errorDelays;

  constructor(
    @Inject(ObjectLoggerFactory) private readonly loggers: ObjectLoggerFactory,
    @Inject(BackgroundHandling) private readonly background: BackgroundHandling,
    @Inject(CycleRunner) private readonly cycles: CycleRunner,
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
    @InjectOwn(OperatorIdentity) private readonly operator = new OperatorIdentity(),
  ) {}

  /** Processes one event. Errors are logged and throttle the object; they are not thrown. */
  async process(source: ResourceEvents, event: WatchEvent, key: string, slot: WorkerSlot): Promise<void> {
    const memory = this.recall(source, event, key);
    const throttler = (memory.throttler ??= new Throttler(slot.clock, this.errorDelays));
    for (let next: WatchEvent | undefined = event; next;) {
      if (memory.unsentFence && memory.unsentFence !== slot.fence) memory.unsent = undefined;
      memory.enterTenure(slot.tenure);
      const logger = this.loggers.create(next.object, source.resourceName, source.session.events);
      const cycle: EventCycle = new EventCycle(source, key, next, memory, slot, logger);
      if (!cycle.isRead && !cycle.isOutdated) memory.catchUp();
      this.background.refresh(cycle);
      next = await throttler.run(() => this.run(cycle), logger, slot, cycle.isLast);
    }
  }

  private run(cycle: EventCycle): Promise<WatchEvent | undefined> {
    const { cycleStart, cycleEnd } = KOPF_CHANNELS;
    return hasSubscribers(cycleStart, cycleEnd)
      ? runFollowed(cycle, this.operator, () => this.cycles.run(cycle))
      : this.cycles.run(cycle);
  }

  private recall({ session: { inventory } }: ResourceEvents, { type }: WatchEvent, key: string): ObjectMemory {
    const memory = inventory.recall(key, type === null);
    if (type === 'DELETED') inventory.forget(key);
    // Another operator may have handled the object before the list.
    if (type === null) memory.forgetProgress();
    return memory;
  }
}
