import { Inject, Injectable } from '@nestjs/common';
import { OperatorMemo } from '../activities/operator.memo.js';
import { AdmissionEngineFactory } from '../admission/admission.engine.factory.js';
import { BackgroundEngineFactory } from '../background/background.engine.factory.js';
import { EventsClient } from '../client/api/events.client.js';
import { WatchEnvironment } from '../client/watch/watch.environment.js';
import { TimerHeap } from 'kube-common';
import { ConversionEngineFactory } from '../conversion/conversion-engine.factory.js';
import type { Leadership } from '../coordination/pausing/leadership.js';
import { PostingQueue } from '../events/posting.queue.js';
import type { BlockageMonitor } from '../execution/blockage.monitor.js';
import { Inventory } from '../handling/inventory.js';
import { IndexRegistry } from '../indexing/index.registry.js';
import { Backpressure } from '../watching/backpressure.js';
import { SessionEngine } from './session.engine.js';
import { InjectOwn } from '../kopf.tokens.js';

/** The most patches that may wait for each connection before further objects are processed. */
const PATCHES_PER_CONNECTION = 3;

/** The signals that end the parts of a session. */
export interface SessionSignals {
  /** Aborted to end the waiting for handlers. */
  readonly ending: AbortSignal;
  /** Aborted to end the sending of the patches of daemons. */
  readonly closing: AbortSignal;
}

/** The factory of the engine of a session, which has all that the operator remembers in it. */
@Injectable()
export class SessionEngineFactory {
  constructor(
    @Inject(BackgroundEngineFactory) private readonly backgrounds: BackgroundEngineFactory,
    @Inject(AdmissionEngineFactory) private readonly admissions: AdmissionEngineFactory,
    @Inject(ConversionEngineFactory) private readonly conversions: ConversionEngineFactory,
    @InjectOwn(IndexRegistry) private readonly indices: IndexRegistry,
    @InjectOwn(EventsClient) private readonly events: EventsClient,
    @Inject(OperatorMemo) private readonly memo: OperatorMemo,
    @Inject(WatchEnvironment) private readonly environment: WatchEnvironment,
  ) {}

  create({ ending, closing }: SessionSignals, leadership: Leadership, monitor: BlockageMonitor): SessionEngine {
    const { settings, clock, logger } = this.environment;
    const posting = new PostingQueue(this.events, settings, clock, logger);
    const inventory = new Inventory(this.memo.current);
    const heap = new TimerHeap(clock);
    const pruned = new Set<string>();
    const sending = {
      get signal() {
        return leadership.within(closing);
      },
      pruned,
    };
    const background = this.backgrounds.create({ heap, events: posting, sending, monitor, leadership });
    const admission = this.admissions.create({ inventory, events: posting, monitor });
    const conversion = this.conversions.create(admission);
    const backpressure = new Backpressure(clock, () => settings.networking.connections * PATCHES_PER_CONNECTION);
    return new SessionEngine({
      settings,
      leadership,
      monitor,
      ending,
      pruned,
      heap,
      inventory,
      indices: this.indices,
      posting,
      background,
      admission,
      conversion,
      backpressure,
    });
  }
}
