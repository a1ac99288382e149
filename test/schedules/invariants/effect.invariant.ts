import { isFinal } from '../call.log.js';
import type { ExampleObject } from '../example.resource.js';
import type { ObjectPast } from '../object.history.js';
import { fullId } from '../planned.operator.js';
import type { HandlerPlan, SchedulePlan } from '../schedule.plan.js';
import type { ScheduleWorld } from '../schedule.world.js';

type Status = Readonly<Record<string, unknown>> & { readonly log?: readonly string[] };

/** Finds changes that handlers have asked for and that are on another object, or there twice. To be called with each state of an object. */
export function findEffectErrors({ uid, name }: ObjectPast, object: ExampleObject): readonly string[] {
  const status = (object.status ?? {}) as Status;
  const { log = [] } = status;
  const foreign = Object.entries(status).filter(([, value]) => uidOf(value) !== undefined && uidOf(value) !== uid);
  const strangers = log.filter((entry) => !entry.startsWith(uid));
  const repeated = log.filter((entry, index) => log.indexOf(entry) !== index);
  return [
    ...foreign.map(([key]) => `foreign effect: status.${key} of ${name} ${uid} is of another object`),
    ...strangers.map((entry) => `foreign effect: ${name} ${uid} is transformed for ${entry}`),
    ...repeated.map((entry) => `effect twice: ${name} ${uid} is transformed again for ${entry}`),
  ];
}

/** Whoever has succeeded has its result stored. */
export function findLostResults(world: ScheduleWorld): readonly string[] {
  const { history, calls, plan } = world;
  return history.alive.flatMap(({ uid, name, object }) =>
    plan.operator.handlers
      // A parent counts as finished with its last sub-handler only.
      .filter(
        ({ kind, result, children }) =>
          result && children === 0 && (kind === 'create' || kind === 'update' || kind === 'field'),
      )
      .flatMap((handler) => {
        const id = fullId(handler);
        const last = calls.of(uid, id).findLast(isFinal);
        if (last?.outcome !== 'success' || world.isLost(last)) return [];
        const stored = ((object.status ?? {}) as Record<string, { readonly call?: number } | undefined>)[id];
        // An error that is ignored is a success without a result.
        if (stored?.call === last.number || (handler.errors === 'ignored' && handler.failing > 0)) return [];
        if (canFailByRejection(plan, handler)) return [];
        return [`lost result: status.${id} of ${name} ${uid} is of call ${String(stored?.call)}, not ${last.number}`];
      }),
  );
}

/** Whether the handler can have failed for good because the API server has rejected its result again and again. */
function canFailByRejection({ steps }: SchedulePlan, { errors = 'temporary', retries }: HandlerPlan): boolean {
  const isRejecting = steps.some(
    ({ action }) => action.do === 'reject' && action.target !== 'read' && action.target !== 'watch',
  );
  return isRejecting && (errors !== 'temporary' || retries !== undefined);
}

function uidOf(value: unknown): string | undefined {
  const { uid } = (value ?? {}) as { readonly uid?: unknown };
  return typeof uid === 'string' ? uid : undefined;
}
