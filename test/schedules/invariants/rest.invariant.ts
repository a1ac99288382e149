import type { KubeObject } from 'nestjs-kopf';
import { essenceOf, type ObjectPast } from '../object.history.js';
import type { SchedulePlan } from '../schedule.plan.js';
import type { ScheduleWorld } from '../schedule.world.js';

const PREFIX = 'kopf.zalando.org/';
const KEPT = new Set([`${PREFIX}last-handled-configuration`, `${PREFIX}kopf-managed`]);
/** The annotations with which an object is touched, to provoke an event. */
const TOUCH = /touch-dummy|kopf\.dummy/;
const CHANGES = new Set(['create', 'update', 'delete', 'resume', 'field']);

/** Nothing of the operator's own is left on an object but the state that it has handled, which is the object's. */
export function findLeftovers({ history, plan }: ScheduleWorld): readonly string[] {
  return history.alive.flatMap((past) => {
    const { object, name, uid } = past;
    const marks = [...findMarks(object), ...findStatusMarks(object)];
    const violations = marks.map((mark) => `${TOUCH.test(mark) ? 'touch' : 'record'} left: ${mark} on ${name} ${uid}`);
    const handled = history.handledEssence(object);
    if (isServed(plan, past) && handled !== essenceOf(object)) {
      violations.push(`last handled: ${String(handled)} is stored on ${name} ${uid}, which is ${essenceOf(object)}`);
    }
    return violations;
  });
}

function findMarks({ metadata }: KubeObject): readonly string[] {
  return Object.keys(metadata.annotations ?? {}).filter((key) => key.startsWith(PREFIX) && !KEPT.has(key));
}

function findStatusMarks({ status }: KubeObject): readonly string[] {
  const kopf = (status as { readonly kopf?: Record<string, unknown> } | undefined)?.kopf ?? {};
  return Object.entries(kopf)
    .filter(([key, value]) => key !== 'last-handled-configuration' && !isEmpty(value))
    .map(([key, value]) => `status.kopf.${key} ${JSON.stringify(value)}`);
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** Tells whether any handler of changes is for the object as it is. */
function isServed({ operator }: SchedulePlan, { object }: ObjectPast): boolean {
  const isOn = object.metadata.labels?.on !== undefined;
  return operator.handlers.some(({ kind, filtered }) => CHANGES.has(kind) && (!filtered || isOn));
}
