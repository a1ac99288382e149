import { Inject, Injectable } from '@nestjs/common';
import { NOTHING_TO_WAIT_FOR, type BackgroundStep } from '../background/background.engine.js';
import { EssentialChanges } from '../background/essential.changes.js';
import { ObjectBackground } from '../background/object.background.js';
import type { KubeWatchEvent } from '../client/watch/watch.event.js';
import type { Clock } from 'kube-common';
import { SpawningCause } from '../contexts/object.causes.js';
import { InjectOwn, KOPF_CLOCK } from '../kopf.tokens.js';
import { isDeletionOngoing } from '../state/finalizers.js';
import type { EventCycle } from './event.cycle.js';

/** The step of the event cycle that starts and stops the daemons and timers of the object. */
@Injectable()
export class BackgroundHandling {
  constructor(
    @Inject(EssentialChanges) private readonly changes: EssentialChanges,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
  ) {}

  /** Shows the newest state of the object to its daemons and timers. */
  refresh(cycle: EventCycle): void {
    const { memory, handlers } = cycle;
    const { background } = memory;
    const event: KubeWatchEvent = cycle.event;
    // Of an object whose deletion was missed, only the identity is known.
    if (!background || background.runs.size === 0 || event.vanished) return;
    const before = background.body;
    // The operator has read a newer state than this event shows.
    if (cycle.isOutdated && before.metadata.resourceVersion === memory.knownVersion) return;
    background.replaceBody(event.object);
    if (handlers.hasIdling && this.changes.differ(before, event.object, handlers.extraFields)) {
      background.resetIdling(this.clock.monotonic());
    }
  }

  /** Starts the daemons and timers that match the object, and stops the others. Returns what the object has to wait for. */
  async handle(cycle: EventCycle): Promise<BackgroundStep> {
    const { body, memory, handlers, session } = cycle;
    const engine = session.background;
    if (cycle.isDeleted || isDeletionOngoing(body)) {
      return memory.background ? engine.release(memory.background) : NOTHING_TO_WAIT_FOR;
    }
    const cause = new SpawningCause(cycle);
    const background = (memory.background ??= new ObjectBackground(cause, this.clock.monotonic()));
    const step = await engine.match(handlers.spawning, cause, background);
    if (!background.isInUse) memory.background = undefined;
    return step;
  }
}
