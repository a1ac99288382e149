import type { ReadonlyIndex } from 'nestjs-kopf';
import type { SimulatedEffects } from 'nestjs-kopf-simulation';

/** The things that a process of a random operator has under way. The checks look at that of the last process. */
export interface RandomProcess {
  /** The names of the objects that a daemon runs for, by their identities: a recreated object can have the name of one that is being deleted. */
  readonly guarded: Map<string, string>;
  /** The index of all objects; absent until the operator has started. */
  sizes?: ReadonlyIndex<string, number>;
}

/** Is injected into random operators: the world outside of the cluster, and the notes for the checks. */
export class RandomRun {
  readonly process: RandomProcess = { guarded: new Map() };

  constructor(private readonly effects?: SimulatedEffects) {
    effects?.memory.set('process', this.process);
  }

  /** Does something outside of the cluster, after which the process can crash. */
  async act(handler: string, name: string, uid: string): Promise<void> {
    await this.effects?.record(handler, name, () => void this.effects?.memory.set(`${handler} ${uid}`, true));
  }
}

/** The process that was started last in a run. */
export function lastProcess({ memory }: SimulatedEffects): RandomProcess | undefined {
  return memory.get('process') as RandomProcess | undefined;
}

/** Whether a handler has succeeded for an object. */
export function hasActed({ memory }: SimulatedEffects, handler: string, uid: string): boolean {
  return memory.has(`${handler} ${uid}`);
}
