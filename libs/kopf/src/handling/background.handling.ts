import type { BackgroundEngine, BackgroundStep } from '../background/background.engine.js';
import { NOTHING_TO_WAIT_FOR } from '../background/background.engine.js';
import { ObjectBackground } from '../background/object.background.js';
import type { EssentialChanges } from '../background/essential.changes.js';
import type { KubeWatchEvent } from '../client/watch/watch.source.js';
import type { Clock } from '../common/clock.interface.js';
import { isDeletionOngoing } from '../state/finalizers.js';
import type { ResourceHandlers } from '../registry/handler.registry.js';
import { SpawningCause } from '../contexts/spawning.cause.js';
import type { Occasion } from './event.processor.js';
import type { ObjectMemory } from './object.memory.js';

/** Lets the daemons and timers of objects follow the events. */
export class BackgroundHandling {
  constructor(
    private readonly engine: BackgroundEngine,
    private readonly changes: EssentialChanges,
    private readonly clock: Clock,
  ) {}

  /** Shows the newest state of the object to what runs for it. */
  refresh(memory: ObjectMemory, event: KubeWatchEvent, handlers: ResourceHandlers): void {
    const { background } = memory;
    // Of an object that has vanished unseen, nothing but its identity is known.
    if (!background || background.runs.size === 0 || event.vanished) return;
    const before = background.body;
    // The operator has read a newer state itself.
    if (memory.isOutdated(event.object) && before.metadata.resourceVersion === memory.knownVersion) return;
    background.replaceBody(event.object);
    if (handlers.hasIdling && this.changes.differ(before, event.object, handlers.extraFields)) {
      background.resetIdling(this.clock.monotonic());
    }
  }

  /** Starts and stops what is to run for the object. Returns what the object has to wait for. */
  async handle(occasion: Occasion): Promise<BackgroundStep> {
    const { event, body, memory, handlers } = occasion;
    if (event.type === 'DELETED' || isDeletionOngoing(body)) {
      return memory.background ? this.engine.release(memory.background) : NOTHING_TO_WAIT_FOR;
    }
    const cause = new SpawningCause(occasion);
    const background = (memory.background ??= new ObjectBackground(cause, this.clock.monotonic()));
    const step = await this.engine.match(handlers.spawning, cause, background);
    if (background.runs.size === 0 && !background.foreverStopped) memory.background = undefined;
    return step;
  }
}
