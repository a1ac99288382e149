import type { Type } from '@nestjs/common';
import { AdmissionServers } from '../../admission/servers/admission.servers.js';
import type { AdmissionServer } from '../../reviews/admission-server.interface.js';
import type { Invocation } from '../../contexts/invocation.js';
import { HandlerExecutor, type SingleExecution } from '../../execution/handler.executor.js';
import { HandlerInvoker } from '../../execution/handler.invoker.js';
import type { Outcome } from '../../execution/outcome.js';
import { EventProcessor } from '../../handling/event.processor.js';
import type { Handler } from '../../registry/handler.js';
import { readDependencies } from '../../discovery/nest.internals.js';
import type { ActivityTracker } from '../records/activity.tracker.js';
import type { CallObserver } from '../records/call.observer.js';
import type { CycleRecorder } from '../records/cycle.recorder.js';
import type { KillableProcess } from './killable.process.js';
import type { Replacement } from './provider.wiring.js';

/** The records of an operator under test. */
export interface OperatorRecords {
  readonly activity: ActivityTracker;
  readonly calls: CallObserver;
  readonly cycles: CycleRecorder;
  /** After its end, nothing is recorded any more. */
  readonly process: KillableProcess;
  /** The receiver of the reviews instead of the server that the operator has for them; absent to use that server. */
  readonly reviews?: AdmissionServer;
}

/** Classes that do the same as providers of the library, and record it. */
export function observedProviders(records: OperatorRecords): readonly Replacement[] {
  const observed = [
    observe(records, HandlerInvoker, ObservedInvoker),
    observe(records, HandlerExecutor, ObservedExecutor),
    observe(records, EventProcessor, ObservedProcessor),
  ];
  return records.reviews ? [...observed, observe(records, AdmissionServers, ObservedServers)] : observed;
}

/** All operators in the process have the same classes: V8 would optimize the code of each new class again. */
function observe<Dependencies extends unknown[]>(
  records: OperatorRecords,
  provider: new (...dependencies: Dependencies) => object,
  observed: new (records: OperatorRecords, ...dependencies: Dependencies) => object,
): Replacement {
  const useFactory = (...dependencies: unknown[]) => new observed(records, ...(dependencies as Dependencies));
  return { provide: provider, useFactory, inject: readDependencies(provider as Type) };
}

class ObservedInvoker extends HandlerInvoker {
  constructor(private readonly records: OperatorRecords) {
    super();
    records.process.onKill(() => this.abandonCalls());
  }

  override invokeActivity(...args: Parameters<HandlerInvoker['invokeActivity']>) {
    const [handler, , invocation] = args;
    this.begin(handler, invocation);
    return super.invokeActivity(...args);
  }

  override invokeEvent(...args: Parameters<HandlerInvoker['invokeEvent']>) {
    const [handler, cause, invocation] = args;
    this.begin(handler, invocation, { body: cause.body });
    return super.invokeEvent(...args);
  }

  override invokeIndex(...args: Parameters<HandlerInvoker['invokeIndex']>) {
    const [handler, cause, invocation] = args;
    this.begin(handler, invocation, { body: cause.body });
    return super.invokeIndex(...args);
  }

  override invokeBackground(...args: Parameters<HandlerInvoker['invokeBackground']>) {
    const [handler, cause, invocation] = args;
    this.begin(handler, invocation, { body: cause.body });
    return super.invokeBackground(...args);
  }

  override invokeChange(...args: Parameters<HandlerInvoker['invokeChange']>) {
    const [handler, { body, reason }, invocation] = args;
    this.begin(handler, invocation, { body, reason });
    return super.invokeChange(...args);
  }

  override invokeAdmission(...args: Parameters<HandlerInvoker['invokeAdmission']>) {
    const [handler, cause, invocation] = args;
    this.begin(handler, invocation, { body: cause.body });
    return super.invokeAdmission(...args);
  }

  private begin(...args: Parameters<CallObserver['begin']>): void {
    const { calls, process } = this.records;
    if (!process.isDead) calls.begin(...args);
  }
}

class ObservedExecutor extends HandlerExecutor {
  /** The last invocation of each execution, which has one at a time; none if its handler was not called, as its time was over. */
  private readonly invocations = new WeakMap<object, Invocation>();

  constructor(
    private readonly records: OperatorRecords,
    ...dependencies: ConstructorParameters<typeof HandlerExecutor>
  ) {
    super(...dependencies);
  }

  override async executeHandler<H extends Handler>(handler: H, execution: SingleExecution<H>): Promise<Outcome> {
    const { activity, calls, process } = this.records;
    // A daemon is not under way: it never ends. Some timer may be at work at all times.
    const isAwaited = !execution.isEndless && !calls.isRoutine(handler, execution.cause?.body.metadata.uid);
    const end = isAwaited ? activity.begin() : undefined;
    this.invocations.delete(execution);
    const outcome = await super.executeHandler(handler, execution);
    end?.();
    const invocation = this.invocations.get(execution);
    if (invocation && !process.isDead) calls.end(invocation, outcome);
    return outcome;
  }

  protected override call<H extends Handler>(handler: H, execution: SingleExecution<H>, invocation: Invocation) {
    this.invocations.set(execution, invocation);
    return super.call(handler, execution, invocation);
  }
}

class ObservedProcessor extends EventProcessor {
  constructor(
    private readonly records: OperatorRecords,
    ...dependencies: ConstructorParameters<typeof EventProcessor>
  ) {
    super(...dependencies);
  }

  override async process(...args: Parameters<EventProcessor['process']>): Promise<void> {
    const { activity, cycles, process } = this.records;
    const [, { object }] = args;
    cycles.begin(object);
    activity.record();
    await super.process(...args);
    if (process.isDead) return;
    cycles.end(object);
    activity.record();
  }
}

/** The servers of an operator whose reviews come from the test's webhooks instead, if it has any server. */
class ObservedServers extends AdmissionServers {
  constructor(
    private readonly records: OperatorRecords,
    ...dependencies: ConstructorParameters<typeof AdmissionServers>
  ) {
    super(...dependencies);
  }

  override find(): AdmissionServer | undefined {
    return super.find() && this.records.reviews;
  }
}
