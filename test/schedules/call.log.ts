import type { HandlerPlan } from './schedule.plan.js';

/** The outcome of a call: the handler is finished, or is to be called again. */
export type CallOutcome = 'success' | 'failure' | 'retry';

/** One call of a handler of changes, by the operator's instance that has made it. */
export interface HandlerCall {
  readonly number: number;
  readonly instance: number;
  readonly uid: string;
  readonly id: string;
  readonly plan: HandlerPlan;
  readonly reason: string;
  readonly retry: number;
  /** The essence of the object, as it was shown. */
  readonly seen: string;
  /** The value of the handler's field, as it was shown. */
  readonly value: unknown;
  outcome?: CallOutcome;
}

/** Keeps books of all calls of handlers of changes, and notices those that should not be. */
export class CallLog {
  readonly calls: HandlerCall[] = [];
  readonly violations: string[] = [];
  private readonly running = new Map<string, string[]>();

  constructor(private readonly onCall: (call: HandlerCall, earlier: HandlerCall | undefined) => void) {}

  begin(facts: Omit<HandlerCall, 'number' | 'outcome'>): HandlerCall {
    const call: HandlerCall = { ...facts, number: this.calls.length };
    this.onCall(call, this.last(call.uid, call.id));
    this.calls.push(call);
    const key = `${call.instance} ${call.uid}`;
    const running = this.running.get(key) ?? [];
    const others = running.filter((id) => !call.id.startsWith(`${id}/`));
    if (others.length > 0)
      this.violations.push(`one at a time: ${call.id} is called while ${others.join(', ')} runs for ${call.uid}`);
    this.running.set(key, [...running, call.id]);
    return call;
  }

  end(call: HandlerCall, outcome: CallOutcome): void {
    call.outcome = outcome;
    const key = `${call.instance} ${call.uid}`;
    const running = this.running.get(key) ?? [];
    const index = running.indexOf(call.id);
    this.running.set(
      key,
      running.filter((_, other) => other !== index),
    );
  }

  /** The last call of a handler for an object that has ended, or has begun at least. */
  last(uid: string, id: string): HandlerCall | undefined {
    return this.calls.findLast((call) => call.uid === uid && call.id === id);
  }

  of(uid: string, id: string): readonly HandlerCall[] {
    return this.calls.filter((call) => call.uid === uid && call.id === id);
  }
}

/** Tells whether the handler is not called again for the same change after this call. */
export function isFinal(call: HandlerCall | undefined): boolean {
  return call?.outcome === 'success' || call?.outcome === 'failure';
}
