import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { setImmediate } from 'node:timers';
import { KOPF_CHANNELS, type OperatorIdentity } from 'nestjs-kopf/diagnostics';
import { describeFrame, framesOf, isOwnFrame } from './stack.frames.js';
import type { Violation } from './violation.js';

/** The shortest `setTimeout()` that counts, in milliseconds. Shorter ones end soon, as those of a test runner that prints lines. */
const SHORTEST = 1000;

/** The frames of Node.js and of V8 in the stack of a timer that is set. */
const NODE = /node:|\(<anonymous>\)/;

/** A timer of Node.js with internal fields: its interval, and whether `setInterval()` has set it, are not public. */
interface RealTimer {
  hasRef(): boolean;
  readonly _idleTimeout: number;
  readonly _repeat: number | null;
}

/** A timer that has not fired yet, with the function that has set it. */
interface SetTimer {
  readonly timer: RealTimer;
  readonly setter: string;
}

/**
 * Finds timers of Node.js that a run leaves behind and that keep a process from ending. Only timers that the run itself has set count, not those of
 * other tests and simulations in the process. Tracking all promises makes a run slower, so this needs a separate run.
 */
export class RealTimerOracle {
  private readonly timers = new Map<number, SetTimer>();

  /**
   * Runs a function, and returns the timers that are left afterwards.
   *
   * @param owns whether an operator belongs to the run, as handlers are called outside of the async context that has started it.
   */
  async follow(
    run: () => Promise<unknown>,
    owns: (operator: OperatorIdentity) => boolean,
  ): Promise<readonly Violation[]> {
    const context = new AsyncLocalStorage<boolean>();
    const { timers } = this;
    const init = (id: number, type: string, _trigger: number, resource: object): void => {
      if (type === 'Timeout' && context.getStore()) this.note(id, resource as RealTimer, init);
    };
    const hook = createHook({ init, destroy: (id) => void timers.delete(id) });
    hook.enable();
    KOPF_CHANNELS.handlerStart.bindStore(context, ({ operator }) => owns(operator));
    try {
      await context.run(true, run);
      // Node.js reports timers that have ended in one of the next turns of the event loop.
      await new Promise((resolve) => setImmediate(setImmediate, resolve));
      return this.violations();
    } finally {
      KOPF_CHANNELS.handlerStart.unbindStore(context);
      hook.disable();
      context.disable();
      timers.clear();
    }
  }

  private note(id: number, timer: RealTimer, hook: (...args: never[]) => void): void {
    const call = { stack: '' };
    Error.captureStackTrace(call, hook);
    const setter = framesOf(call.stack).find((frame) => !NODE.test(frame));
    // The clocks of the simulation set real timers, too. Code that waits for these clocks cannot end before.
    if (setter !== undefined && !isOwnFrame(setter)) this.timers.set(id, { timer, setter: describeFrame(setter) });
  }

  private violations(): readonly Violation[] {
    const left = [...this.timers.values()].filter(({ timer }) => isLasting(timer));
    return [...new Set(left.map(({ setter }) => setter))].map((setter) => ({
      check: 'leaks',
      message: `of the operator that has stopped is left: a timer of Node.js, which was set by ${setter}`,
    }));
  }
}

/** Whether a timer keeps the process from ending for a while. */
function isLasting(timer: RealTimer): boolean {
  return timer.hasRef() && (timer._repeat !== null || timer._idleTimeout >= SHORTEST);
}
