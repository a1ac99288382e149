import type { HandlerKind, HandlerMetadata } from '../decorators/handler.metadata.js';
import { sourceOf } from '../parameters/parameter.decorators.js';
import { findParameters } from './nest.internals.js';
import { findPythonSignature } from './python-signatures.js';

const CHANGES: readonly HandlerKind[] = ['create', 'update', 'delete', 'resume', 'field'];
const REVIEWS: readonly HandlerKind[] = ['validate', 'mutate'];
const BACKGROUND: readonly HandlerKind[] = ['daemon', 'timer', 'child', 'reference', 'log'];
const PATCHING: readonly HandlerKind[] = [...CHANGES, ...REVIEWS, ...BACKGROUND, 'event'];
const OBJECTS: readonly HandlerKind[] = [...PATCHING, 'index', 'convert'];

/** The kinds of handlers whose contexts have a member; members that are not listed are in all contexts. */
const KINDS_WITH: Readonly<Record<string, readonly HandlerKind[]>> = {
  spec: OBJECTS,
  status: OBJECTS,
  meta: OBJECTS,
  body: OBJECTS,
  labels: OBJECTS,
  annotations: OBJECTS,
  name: OBJECTS,
  namespace: OBJECTS,
  uid: OBJECTS,
  patch: PATCHING,
  diff: [...CHANGES, ...REVIEWS],
  old: [...CHANGES, ...REVIEWS],
  new: [...CHANGES, ...REVIEWS],
  stopped: BACKGROUND,
};

/** Finds the violations in a method's parameters and their decorators. A method without decorated parameters takes the context. */
export function findParameterViolations(
  type: { readonly prototype: object },
  methodName: string,
  handlers: readonly HandlerMetadata[],
): readonly string[] {
  const parameters = findParameters(type, methodName);
  if (parameters.length === 0) {
    const violation = findPythonSignature(type.prototype, methodName);
    return violation === undefined ? [] : [violation];
  }
  const violations = parameters.flatMap(({ index, factory }) => {
    const position = `parameter ${index + 1}`;
    if (factory === undefined) {
      return [
        `${position} has a decorator for requests, such as @Body(); decorators of handlers are @ObjectBody(), @Spec(), …`,
      ];
    }
    const { decorator, member } = sourceOf(factory) ?? {};
    const kinds = member === undefined ? undefined : KINDS_WITH[member];
    if (!kinds || handlers.some(({ kind }) => kinds.includes(kind))) return [];
    const names = [...new Set(handlers.map((handler) => handler.decorator))].join(' and ');
    return [`${position} has ${decorator}(), which has no value in handlers of ${names}; remove it`];
  });
  return [...violations, ...findUndecorated(type, methodName, new Set(parameters.map(({ index }) => index)))];
}

function findUndecorated(type: object, methodName: string, decorated: ReadonlySet<number>): readonly string[] {
  const { length } = (type as { prototype: Record<string, { length: number }> }).prototype[methodName];
  return Array.from({ length }, (_, index) => index)
    .filter((index) => !decorated.has(index))
    .map(
      (index) => `parameter ${index + 1} has no decorator, while others have; @HandlerContext() gives it the context`,
    );
}
