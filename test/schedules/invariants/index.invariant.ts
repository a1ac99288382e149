import type { ScheduleWorld } from '../schedule.world.js';

/** Each index has of each object what a listing gives, and nothing else. */
export function findIndexErrors({ plan, history, operator }: ScheduleWorld): readonly string[] {
  return plan.operator.handlers
    .filter(({ kind }) => kind === 'index')
    .flatMap(({ id, filtered }) => {
      const objects = history.alive.filter(({ object }) => !filtered || object.metadata.labels?.on !== undefined);
      const wanted = objects.map(({ object, name }) => `${object.spec.a} ${name}`).sort();
      const actual = [...operator.indices.get<string, string>(id)]
        .flatMap(([key, store]) => store.toArray().map((name) => `${key} ${name}`))
        .sort();
      return String(actual) === String(wanted) ? [] : [`indices: ${id} has ${String(actual)}, not ${String(wanted)}`];
    });
}
