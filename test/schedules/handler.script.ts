import { PermanentError, TemporaryError, type ChangeContext, type Clock, type Patch } from 'nestjs-kopf';
import type { RandomChoices } from '../support/generators/random.choices.js';
import type { CallLog, CallOutcome, HandlerCall } from './call.log.js';
import { essenceOf } from './object.history.js';
import type { HandlerPlan } from './schedule.plan.js';
import { choicesFor } from './seed.hash.js';
import type { SyncPoints } from './sync.points.js';

/** The tools that handlers of one instance of the operator work with. */
export interface ScriptTools {
  readonly seed: number;
  readonly instance: number;
  /** Stands still when the instance is killed. */
  readonly clock: Clock;
  readonly calls: CallLog;
  readonly syncPoints: SyncPoints;
  /** The place of the object's creation among all objects. */
  readonly orderOf: (uid: string) => number;
}

type Ending = 'success' | 'temporary' | 'arbitrary' | 'permanent';

/** After so many calls for an object, a handler succeeds, so that every schedule comes to rest. */
export const ATTEMPTS_LIMIT = 8;

/** Does what a handler of changes does according to its plan: takes time, asks for changes, fails or succeeds. */
export class HandlerScript {
  constructor(private readonly tools: ScriptTools) {}

  async run(plan: HandlerPlan, id: string, context: ChangeContext): Promise<unknown> {
    const { calls, syncPoints, clock } = this.tools;
    const call = this.begin(plan, id, context);
    const choices = this.choicesOf(call);
    await syncPoints.reach('in-handler');
    if (plan.duration > 0 && choices.withProbability(0.6)) await pause(clock, choices.between(0, plan.duration * 1000));
    const ending = this.drawEnding(plan, call, choices);
    addEffects(plan, id, context.patch, call);
    if (ending === 'success') this.addChildren(plan, id, context);
    calls.end(call, outcomeOf(ending, plan, call.retry));
    if (ending === 'temporary') throw new TemporaryError('not yet', { delay: choices.between(1, 60) / 10 });
    if (ending === 'permanent') throw new PermanentError('never');
    if (ending === 'arbitrary') throw new Error('something went wrong');
    return plan.result ? { uid: call.uid, call: call.number } : undefined;
  }

  private begin(plan: HandlerPlan, id: string, { uid, reason, retry, body, new: value }: ChangeContext): HandlerCall {
    const { calls, instance } = this.tools;
    const seen = essenceOf(body);
    return calls.begin({ instance, uid, id, plan, reason, retry, seen, value: plan.field ? value : undefined });
  }

  private addChildren(plan: HandlerPlan, id: string, context: ChangeContext): void {
    const { errors: _, retries: __, field: ___, ...child } = plan;
    for (let index = 0; index < plan.children; index++) {
      const childPlan = { ...child, children: 0 };
      const act = (inner: ChangeContext): Promise<unknown> => this.run(childPlan, `${id}/child${index}`, inner);
      context.subhandler(`child${index}`, act, { backoff: plan.backoff });
    }
  }

  private choicesOf({ uid, id }: HandlerCall): RandomChoices {
    const { seed, orderOf, calls } = this.tools;
    return choicesFor(seed, 'call', id, orderOf(uid), calls.of(uid, id).length);
  }

  private drawEnding(plan: HandlerPlan, { uid, id }: HandlerCall, choices: RandomChoices): Ending {
    if (this.tools.calls.of(uid, id).length > ATTEMPTS_LIMIT) return 'success';
    if (choices.withProbability(plan.failing)) return choices.pick(['temporary', 'arbitrary']);
    return choices.withProbability(plan.fatal) ? 'permanent' : 'success';
  }
}

/** Gives the outcome that the call has for its handler by the rules of Kopf. */
function outcomeOf(ending: Ending, { errors, retries }: HandlerPlan, retry: number): CallOutcome {
  if (ending === 'success') return 'success';
  if (ending === 'permanent') return 'failure';
  if (ending === 'arbitrary' && errors === 'ignored') return 'success';
  if (ending === 'arbitrary' && errors === 'permanent') return 'failure';
  return retries !== undefined && retry + 1 >= retries ? 'failure' : 'retry';
}

/** Asks for changes that tell of which object and of which call they are. */
function addEffects({ effect }: HandlerPlan, id: string, patch: Patch, { uid, number }: HandlerCall): void {
  if (effect === 'merge' || effect === 'both') patch.status[`note-${id}`] = { uid, call: number };
  if (effect !== 'transform' && effect !== 'both') return;
  patch.transform((body) => {
    const status = ((body as { status?: Record<string, any> }).status ??= {});
    (status.log ??= []).push(`${uid} ${number}`);
  });
}

/** Lets time pass; for ever if the clock stands still. */
export function pause(clock: Clock, milliseconds: number): Promise<void> {
  return new Promise((resolve) => clock.setTimer(resolve, milliseconds));
}
