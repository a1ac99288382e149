import { Injectable } from '@nestjs/common';
import { Daemon, type DaemonContext } from 'nestjs-kopf';
import { EXAMPLES } from '../examples.js';

interface LevelSpec {
  /** Sets the wanted number. */
  readonly target: number;
  /** Seconds for each step. @default 10 */
  readonly pace?: number;
}

/** Comes nearer to the wanted level step by step, as long as the object is there, and wherever the level is moved meanwhile. */
@Injectable()
export class DaemonsOperator {
  /** The levels by the objects' identities; a real operator would ask the thing itself. */
  readonly levels = new Map<string, number>();

  @Daemon(EXAMPLES, { cancellationTimeout: 5, annotations: { paused: (value) => value !== 'yes' } })
  async approach({ uid, spec, stopped, logger }: DaemonContext<LevelSpec>) {
    while (!stopped.isSet) {
      const level = this.levels.get(uid) ?? 0;
      // What was taken out of the context shows the newest state of the object always.
      if (level !== spec.target) this.levels.set(uid, level + Math.sign(spec.target - level));
      await stopped.wait(spec.pace ?? 10);
    }
    logger.log(`Stopped at level ${this.levels.get(uid)}.`);
  }
}
