import type { Lifecycle } from './lifecycle.interface.js';

/** Executes all due handlers in one cycle, in the order of their registration. */
export const allAtOnce: Lifecycle = (handlers) => handlers;

/** Executes one handler in a cycle, in the order of their registration: a failing handler holds up the others. */
export const oneByOne: Lifecycle = (handlers) => handlers.slice(0, 1);

/** Executes one handler in a cycle, chosen at random. */
export const randomized: Lifecycle = (handlers, { random }) => {
  const index = Math.floor(random.next() * handlers.length);
  return handlers.slice(index, index + 1);
};

/** Executes all due handlers in one cycle, in a random order. */
export const shuffled: Lifecycle = (handlers, { random }) => {
  const order = [...handlers];
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random.next() * (last + 1));
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
};

/**
 * Executes one handler in a cycle, the one with the fewest attempts, so that a failing handler does not hold up the others. The default.
 */
export const asap: Lifecycle = (handlers, context) => {
  if (handlers.length < 2) return handlers;
  return [handlers.reduce((best, next) => (context.retriesOf(next) < context.retriesOf(best) ? next : best))];
};
