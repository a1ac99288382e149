import type { Type } from '@nestjs/common';
import {
  Daemon,
  Index,
  OnCreate,
  OnDelete,
  OnEvent,
  OnField,
  OnResume,
  OnUpdate,
  Timer,
  type ChangeContext,
  type DaemonContext,
  type EventContext,
  type IndexContext,
  type TimerContext,
} from 'nestjs-kopf';
import type { BackgroundLog } from './background.log.js';
import { SELECTOR } from './example.resource.js';
import { HandlerScript, pause, type ScriptTools } from './handler.script.js';
import type { HandlerPlan } from './schedule.plan.js';

/** The tools that the handlers of a planned operator work with. */
export interface OperatorTools extends ScriptTools {
  readonly background: BackgroundLog;
}

type Method = (context: any) => unknown;

/** The id by which the operator knows a handler. */
export function fullId({ id, field }: HandlerPlan): string {
  return field ? `${id}/${field}` : id;
}

/** Makes a class with the handlers of the plan. */
export function makeOperator(plans: readonly HandlerPlan[], tools: OperatorTools): Type {
  class PlannedOperator {}
  const script = new HandlerScript(tools);
  for (const plan of plans) {
    const value = makeMethod(plan, tools, script);
    Object.defineProperty(PlannedOperator.prototype, plan.id, { value, configurable: true, writable: true });
    const descriptor = Object.getOwnPropertyDescriptor(PlannedOperator.prototype, plan.id)!;
    decoratorOf(plan)(PlannedOperator.prototype, plan.id, descriptor);
  }
  return PlannedOperator;
}

function decoratorOf(plan: HandlerPlan): MethodDecorator {
  const { kind, id, filtered, field, errors, retries, backoff, interval, idle } = plan;
  const common = { id, ...(filtered && { labels: { on: 'yes' } }), ...(field && { field }) };
  const retrying = { ...common, backoff, ...(errors && { errors }), ...(retries && { retries }) };
  switch (kind) {
    case 'create':
      return OnCreate(...SELECTOR, retrying);
    case 'update':
      return OnUpdate(...SELECTOR, retrying);
    case 'delete':
      return OnDelete(...SELECTOR, { ...retrying, ...(plan.optional && { optional: true }) });
    case 'resume':
      return OnResume(...SELECTOR, retrying);
    case 'field':
      return OnField(...SELECTOR, { ...retrying, field: field! });
    case 'event':
      return OnEvent(...SELECTOR, common);
    case 'index':
      return Index(...SELECTOR, common);
    case 'daemon':
      return Daemon(...SELECTOR, { ...common, backoff });
    case 'timer':
      return Timer(...SELECTOR, { ...common, backoff, interval, ...(idle && { idle }) });
  }
}

function makeMethod(plan: HandlerPlan, tools: OperatorTools, script: HandlerScript): Method {
  const { kind, id } = plan;
  switch (kind) {
    case 'event':
      return ({ patch, uid, type }: EventContext) => {
        // Each patch leads to an event, so it has to be the same one.
        if (plan.effect !== 'nothing' && type !== 'DELETED') patch.status[`note-${id}`] = { uid };
      };
    case 'index':
      return ({ spec, name }: IndexContext) => ({ [String(spec.a)]: name });
    case 'daemon':
      return (context: DaemonContext) => runDaemon(plan, tools, context);
    case 'timer':
      return (context: TimerContext) => invokeTimer(plan, tools, context);
    default:
      return (context: ChangeContext) => script.run(plan, fullId(plan), context);
  }
}

async function runDaemon(
  plan: HandlerPlan,
  tools: OperatorTools,
  { uid, stopped, patch }: DaemonContext,
): Promise<unknown> {
  const { instance, background, clock } = tools;
  const { id, lifespan, exit = 0, effect, result } = plan;
  background.started(instance, uid, id);
  const isAsked = await stopped.wait(lifespan);
  if (exit > 0 && isAsked) await pause(clock, exit * 1000);
  background.stopped(instance, uid, id, !isAsked);
  if (effect !== 'nothing') patch.status[`note-${id}`] = { uid };
  return result ? { uid } : undefined;
}

async function invokeTimer(plan: HandlerPlan, tools: OperatorTools, { uid, patch }: TimerContext): Promise<unknown> {
  const { instance, background, clock } = tools;
  background.invoked(instance, uid, plan.id, clock.monotonic());
  if (plan.duration > 0) await pause(clock, plan.duration * 1000);
  if (plan.effect !== 'nothing') patch.status[`note-${plan.id}`] = { uid, at: clock.monotonic() };
  return undefined;
}
