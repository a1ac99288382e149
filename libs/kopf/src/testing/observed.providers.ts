import type { Type } from '@nestjs/common';
import type { Invocation } from '../contexts/invocation.js';
import { HandlerExecutor, type SingleExecution } from '../execution/handler.executor.js';
import { HandlerInvoker } from '../execution/handler.invoker.js';
import type { Outcome } from '../execution/outcome.js';
import { EventProcessor } from '../handling/event.processor.js';
import type { Handler } from '../registry/handler.js';
import type { Activity } from './activity.js';
import type { CallRecorder } from './call.recorder.js';
import type { CycleRecorder } from './cycle.recorder.js';
import type { KillableProcess } from './killable.process.js';

/** Lists what is told of an operator under test. */
export interface OperatorRecords {
  readonly activity: Activity;
  readonly calls: CallRecorder;
  readonly cycles: CycleRecorder;
  /** After its end, nothing is recorded any more. */
  readonly process: KillableProcess;
}

/** Makes classes that do what the library's own providers do, and record it: each with the provider that it replaces. */
export function observedProviders(records: OperatorRecords): readonly (readonly [provider: Type, observed: Type])[] {
  return [
    [HandlerInvoker, observedInvoker(records)],
    [HandlerExecutor as Type, observedExecutor(records)],
    [EventProcessor as Type, observedProcessor(records)],
  ];
}

function observedInvoker({ calls, process }: OperatorRecords): Type {
  const begin: CallRecorder['begin'] = (...args) => {
    if (!process.isDead) calls.begin(...args);
  };
  return class ObservedInvoker extends HandlerInvoker {
    constructor() {
      super();
      process.onKill(() => this.abandonCalls());
    }
    override invokeActivity(...args: Parameters<HandlerInvoker['invokeActivity']>) {
      const [handler, , invocation] = args;
      begin(handler, invocation);
      return super.invokeActivity(...args);
    }
    override invokeEvent(...args: Parameters<HandlerInvoker['invokeEvent']>) {
      const [handler, cause, invocation] = args;
      begin(handler, invocation, { body: cause.body });
      return super.invokeEvent(...args);
    }
    override invokeIndex(...args: Parameters<HandlerInvoker['invokeIndex']>) {
      const [handler, cause, invocation] = args;
      begin(handler, invocation, { body: cause.body });
      return super.invokeIndex(...args);
    }
    override invokeBackground(...args: Parameters<HandlerInvoker['invokeBackground']>) {
      const [handler, cause, invocation] = args;
      begin(handler, invocation, { body: cause.body });
      return super.invokeBackground(...args);
    }
    override invokeChange(...args: Parameters<HandlerInvoker['invokeChange']>) {
      const [handler, { body, reason }, invocation] = args;
      begin(handler, invocation, { body, reason });
      return super.invokeChange(...args);
    }
    override invokeAdmission(...args: Parameters<HandlerInvoker['invokeAdmission']>) {
      const [handler, cause, invocation] = args;
      begin(handler, invocation, { body: cause.body });
      return super.invokeAdmission(...args);
    }
  };
}

function observedExecutor({ activity, calls, process }: OperatorRecords): Type {
  return class ObservedExecutor extends HandlerExecutor {
    override async executeHandler<H extends Handler>(handler: H, execution: SingleExecution<H>): Promise<Outcome> {
      let invoked: Invocation | undefined;
      // A daemon is not under way: it never ends.
      const end = execution.isEndless ? undefined : activity.begin();
      const call = (called: H, invocation: Invocation): unknown => {
        invoked = invocation;
        return execution.call(called, invocation);
      };
      const outcome = await super.executeHandler(handler, withCall(execution, call));
      end?.();
      if (invoked && !process.isDead) calls.end(invoked, outcome);
      return outcome;
    }
  } as Type;
}

/** Replaces the call of an execution, whatever class it is of. */
function withCall<H extends Handler>(
  execution: SingleExecution<H>,
  call: SingleExecution<H>['call'],
): SingleExecution<H> {
  return new Proxy(execution, {
    get(target, key) {
      if (key === 'call') return call;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

function observedProcessor({ activity, cycles, process }: OperatorRecords): Type {
  return class ObservedProcessor extends EventProcessor {
    override async process(...args: Parameters<EventProcessor['process']>): Promise<void> {
      const [, { object }] = args;
      cycles.begin(object);
      activity.note();
      await super.process(...args);
      if (process.isDead) return;
      cycles.end(object);
      activity.note();
    }
  } as Type;
}
