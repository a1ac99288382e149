import { findParameters, hasPipes } from './nest.internals.js';
import type { DecoratedMethod } from './handler.factory.js';
import type { OperatorAssignment } from './operator.assignment.js';

/** The part of the assignment that reads the handlers of a method. */
type HandlerReader = Pick<OperatorAssignment, 'assign' | 'isHandler'>;

/**
 * Checks whether a method that is no handler overrides one: decorators stand on the method of the base class, and are not inherited. If
 * another operator calls the overridden handler, that is deliberate.
 *
 * @returns a warning with what to do; `undefined` if the method overrides no handler, or another operator calls it.
 */
export function findLostOverride(prototype: object, name: string, assignment: HandlerReader): string | undefined {
  if (assignment.isHandler(prototype, name)) return undefined;
  const lost = findDecoratedBase(prototype, name, assignment);
  if (!lost) return undefined;
  const own = `${prototype.constructor.name}.${name}`;
  const base = `${lost.className}.${name}`;
  return (
    `${own} overrides ${base}, which has ${lost.decorators}, and has no decorator itself, so it is never called: ` +
    `repeat the decorator on ${own}, or give the method another name if it is meant to replace the handler.`
  );
}

/**
 * Finds pipes of a handler that takes its context: Nest's pipes are for values, and the context goes to the method as it is.
 *
 * @returns a warning with what to do.
 */
export function findUselessPipes(
  type: { readonly prototype: object },
  { methodName, source }: Pick<DecoratedMethod, 'methodName' | 'source'>,
): readonly string[] {
  if (!hasPipes(type, methodName) || findParameters(type, methodName).length > 0) return [];
  return [
    `${source} has @UsePipes(), but takes the whole context, to which pipes are not applied: check the values in the handler, ` +
      'or in an interceptor, and remove the pipes.',
  ];
}

function findDecoratedBase(prototype: object, name: string, assignment: HandlerReader) {
  for (let base = next(prototype); base && base !== Object.prototype; base = next(base)) {
    if (!Object.hasOwn(base, name)) continue;
    const method: unknown = Object.getOwnPropertyDescriptor(base, name)?.value;
    const { handlers } = typeof method === 'function' ? assignment.assign(base, name) : { handlers: [] };
    if (handlers.length === 0) continue;
    const decorators = [...new Set(handlers.map(({ decorator }) => decorator))].join(' and ');
    return { className: base.constructor.name, decorators };
  }
  return undefined;
}

function next(prototype: object): object | null {
  return Object.getPrototypeOf(prototype) as object | null;
}
