import type { KubeApi } from 'nestjs-kopf/tooling';
import { type HandlingPlan, InspectionError, type OperatorInspection } from 'nestjs-kopf/inspection';
import type { ConsoleAction, ConsoleActionAnswer, ConsoleActionRequest } from '../console.api.js';
import { ConsoleError } from '../console.error.js';
import { patchObject } from './object.patching.js';

/** The actions that change how far handlers have come with an object. */
const PLANNED = ['retry', 'postpone', 'complete', 'repeat', 'release'] as const;

/** The operator that is asked, and the connection by which it is done. */
export interface ActionTarget {
  readonly inspection: OperatorInspection;
  readonly api: KubeApi;
}

/** An action that was planned, and done unless it is a dry run. */
export interface PlannedAction {
  readonly plan: HandlingPlan;
  readonly answer: ConsoleActionAnswer;
}

/** What was done, for the event log and for Kubernetes events: `retry create_fn`. */
export function describeAction(action: ConsoleAction, { handler }: ConsoleActionRequest): string {
  return `${action}${handler === undefined ? '' : ` ${handler}`}`;
}

/**
 * Plans an action on an object, and writes what is planned unless it is a dry run.
 *
 * @throws ConsoleError, InspectionError 400 if the request makes no sense, 404 if there is no such object or handler, 409 if the object has changed.
 */
export async function carryOut(
  action: ConsoleAction,
  { object, handler, seconds, dryRun = true }: ConsoleActionRequest,
  { inspection, api }: ActionTarget,
  signal: AbortSignal,
): Promise<PlannedAction> {
  const change = PLANNED.find((name) => name === action);
  if (!change) throw new InspectionError(400, `${action} is no action on an object.`);
  if (!object) throw new ConsoleError(400, 'The object is missing.');
  const plan = await inspection.plan({ change, object, handler, seconds }, signal);
  const { text, patch, shownPatch } = plan;
  const answer = { dryRun, text, ...(shownPatch !== undefined && { patch: shownPatch }) };
  if (dryRun || !patch) return { plan, answer: { ...answer, done: false } };
  await patchObject(api, { ...plan, patch }, signal);
  return { plan, answer: { ...answer, done: true } };
}
