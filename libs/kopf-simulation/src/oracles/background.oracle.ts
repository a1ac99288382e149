import { isDeletionOngoing, selectSpawningHandlers, SpawningCause } from 'nestjs-kopf/tooling';
import type { RestingObject, RestingOperator } from './resting.operator.js';
import type { Violation } from './violation.js';

/** Compares the daemons and timers of an operator at rest with those that its objects match. */
export function checkBackground({ objects, engine }: RestingOperator): readonly Violation[] {
  const violations: Violation[] = [];
  let known = 0;
  for (const object of objects) {
    const { name, memory } = object;
    const running = new Set(memory.background?.runs.keys());
    known += running.size;
    const expected = expectedOf(object);
    if (!expected || object.isExempt) continue;
    for (const id of expected) {
      if (running.has(id)) continue;
      violations.push({ check: 'background', message: `'${id}' does not run for ${name}, which matches` });
    }
    for (const id of running) {
      if (expected.has(id)) continue;
      violations.push({ check: 'background', message: `'${id}' still runs for ${name}, which does not match` });
    }
  }
  if (engine.background.size > known) {
    const ids = [...new Set([...engine.background.all].map(({ handler }) => handler.id))].join("', '");
    violations.push({ check: 'background', message: `some of '${ids}' still run for objects that do not exist` });
  }
  return violations;
}

/** The ids of the daemons and timers that are to run for an object; `undefined` if a filter fails. */
function expectedOf({ body, handlers, memory, origin, isSelected }: RestingObject): Set<string> | undefined {
  if (!isSelected || isDeletionOngoing(body)) return new Set();
  try {
    const { foreverStopped } = memory.background ?? {};
    const handlersOfObject = selectSpawningHandlers(handlers.spawning, new SpawningCause(origin), foreverStopped);
    return new Set(handlersOfObject.map(({ id }) => id));
  } catch {
    return undefined;
  }
}
