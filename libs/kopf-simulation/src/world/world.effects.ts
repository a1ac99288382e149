import { neverSettled } from 'nestjs-kopf/testing';
import type { SimulatedEffect, SimulatedEffects } from '../simulation.options.js';
import type { WorldProcess } from './world.process.js';

/** The effects of a run, over all processes. */
export class WorldEffects implements SimulatedEffects {
  readonly all: SimulatedEffect[] = [];
  readonly memory = new Map<string, unknown>();

  /** The kinds and keys of the effects, each once. */
  get names(): ReadonlySet<string> {
    return new Set(this.all.map(({ kind, key }) => `${kind} ${key}`));
  }

  /** Properties only read effects. */
  record(): Promise<void> {
    throw new TypeError(
      'Effects are recorded by the fakes of external systems, with the effects that override() is given.',
    );
  }

  /**
   * Creates the effects of one process.
   *
   * @param onEffect called with each effect; the process may have ended afterwards.
   */
  of(process: WorldProcess, onEffect: (effect: SimulatedEffect) => void): SimulatedEffects {
    const { all, memory } = this;
    return {
      all,
      memory,
      async record(kind, key, change) {
        await process.thawed;
        if (process.isDead) return neverSettled();
        const effect = { kind, key };
        change?.();
        all.push(effect);
        onEffect(effect);
        await process.thawed;
        return process.isDead ? neverSettled() : undefined;
      },
    };
  }
}
