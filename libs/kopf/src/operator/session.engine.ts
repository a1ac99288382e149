import type { AdmissionEngine } from '../admission/admission.engine.js';
import type { BackgroundEngine } from '../background/background.engine.js';
import type { TimerHeap } from 'kube-common';
import type { ConversionEngine } from '../conversion/conversion.engine.js';
import type { Leadership } from '../coordination/pausing/leadership.js';
import type { PostingQueue } from '../events/posting.queue.js';
import type { BlockageMonitor } from '../execution/blockage.monitor.js';
import type { Inventory } from '../handling/inventory.js';
import type { SessionContext } from '../handling/session.context.js';
import { IndexingGate } from '../indexing/indexing.gate.js';
import type { IndexRegistry } from '../indexing/index.registry.js';
import type { Resource } from '../resources/resources.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import type { Backpressure } from '../watching/backpressure.js';
import { Slots } from '../common/slots.js';
import { SlowStart } from '../watching/slow.start.js';

/** The parts of a session. */
export interface SessionParts {
  readonly settings: KopfSettings;
  readonly leadership: Leadership;
  readonly monitor: BlockageMonitor;
  /** Aborted when handlers are not waited for any longer. */
  readonly ending: AbortSignal;
  /** The resources of which it was reported that the cluster does not keep their status. */
  readonly pruned: Set<string>;
  readonly heap: TimerHeap;
  readonly inventory: Inventory;
  readonly indices: IndexRegistry;
  readonly posting: PostingQueue;
  readonly background: BackgroundEngine;
  readonly admission: AdmissionEngine;
  readonly conversion: ConversionEngine;
  readonly backpressure: Backpressure;
}

/**
 * Keeps what the operator remembers in one of its runs, and not longer: the objects, what waits, what is due, and what runs for objects.
 * It decides nothing, and begins nothing on its own: the steps of handling, which outlive it, find here what is of the session.
 */
export class SessionEngine implements SessionContext {
  readonly gate = new IndexingGate();
  private readonly slots: Slots;
  private readonly slowStart: SlowStart;
  private readonly slotsPerKind = new Map<string, Slots>();

  constructor(private readonly parts: SessionParts) {
    this.slowStart = new SlowStart(parts.heap);
    const onRise = (): void => this.slots.admit();
    this.slots = new Slots(
      () => this.workerLimit,
      undefined,
      () => this.slowStart.onRise(onRise),
    );
  }

  get signal(): AbortSignal {
    return this.parts.leadership.within(this.parts.ending);
  }

  get pending(): Promise<void> | undefined {
    return this.parts.leadership.pending;
  }

  get monitor(): BlockageMonitor {
    return this.parts.monitor;
  }

  get ending(): AbortSignal {
    return this.parts.ending;
  }

  get pruned(): Set<string> {
    return this.parts.pruned;
  }

  get inventory(): Inventory {
    return this.parts.inventory;
  }

  get background(): BackgroundEngine {
    return this.parts.background;
  }

  get events(): PostingQueue {
    return this.parts.posting;
  }

  get backpressure(): Backpressure {
    return this.parts.backpressure;
  }

  get admission(): AdmissionEngine {
    return this.parts.admission;
  }

  get conversion(): ConversionEngine {
    return this.parts.conversion;
  }

  /** Whether the operator may work on objects. */
  get leadership(): Leadership {
    return this.parts.leadership;
  }

  /** The slots of a resource, in whatever namespaces it is watched. */
  slotsOf({ group, plural }: Resource): Slots {
    const kind = `${plural}.${group}`;
    let slots = this.slotsPerKind.get(kind);
    if (!slots) {
      slots = new Slots(() => this.parts.settings.queueing.workerLimitPerKind, this.slots);
      this.slotsPerKind.set(kind, slots);
    }
    return slots;
  }

  /** The most objects that are processed at the same time; `null` for no limit. */
  private get workerLimit(): number | null {
    const { settings, leadership } = this.parts;
    const { workerLimit } = settings.queueing;
    const limit = this.slowStart.limitIn(leadership.term);
    return limit === null || workerLimit === null ? (limit ?? workerLimit) : Math.min(limit, workerLimit);
  }

  /** Forgets all objects. */
  clear(): void {
    this.parts.heap.clear();
    this.parts.inventory.clear();
    this.parts.indices.clear();
  }
}
