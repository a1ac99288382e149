import type { Chance } from '../load/random.choices.js';
import type { HandlerKind, HandlerPlan, OperatorPlan } from './schedule.plan.js';

const KINDS: readonly HandlerKind[] = [
  'create',
  'create',
  'update',
  'update',
  'delete',
  'delete',
  'resume',
  'field',
  'event',
  'daemon',
  'timer',
  'index',
];

/** Draws an operator of a few handlers of all kinds, and its settings. */
export function drawOperator(chance: Chance, statusSubresource: boolean): OperatorPlan {
  const handlers: HandlerPlan[] = [drawHandler(chance, 'create', 0), drawHandler(chance, 'update', 1)];
  const count = chance.between(1, 5);
  for (let index = 2; index < count + 2; index++) handlers.push(drawHandler(chance, chance.pick(KINDS), index));
  return {
    handlers,
    lifecycle: chance.pick(['asap', 'asap', 'allAtOnce', 'oneByOne', 'randomized', 'shuffled'] as const),
    // Without a subresource, or with one, the status is a place to store in.
    storage: chance.pick(['smart', 'smart', 'annotations', 'multi', statusSubresource ? 'smart' : 'status'] as const),
    progress: chance.pick(['purge', 'purge', 'keep'] as const),
    consistencyTimeout: chance.pick([5, 5, 5, 1]),
    requestTimeout: chance.pick([300, 20, 5]),
    workerLimit: chance.pick([null, null, 1, 2]),
    streamedLists: chance.of(0.3),
    posting: chance.of(0.2),
    namespaced: chance.of(0.3),
  };
}

function drawHandler(chance: Chance, kind: HandlerKind, index: number): HandlerPlan {
  const common = {
    kind,
    id: `${kind}${index}`,
    filtered: kind !== 'field' && chance.of(0.25),
    backoff: chance.pick([0.5, 2, 5]),
    duration: chance.pick([0, 0, 0.5, 2, 12]),
    failing: chance.pick([0, 0, 0.2, 0.5]),
    fatal: chance.pick([0, 0, 0.1]),
    effect: chance.pick(['nothing', 'nothing', 'merge', 'transform', 'both'] as const),
    result: chance.of(0.4),
    children: 0,
  };
  switch (kind) {
    case 'event':
    case 'index':
      return { ...common, duration: 0, failing: 0, fatal: 0 };
    case 'daemon': {
      const lifespan = chance.of(0.3) ? chance.pick([0, 1, 15]) : undefined;
      return {
        ...common,
        failing: 0,
        fatal: 0,
        exit: chance.pick([0, 0, 1, 4]),
        ...(lifespan !== undefined && { lifespan }),
      };
    }
    case 'timer':
      return {
        ...common,
        duration: chance.pick([0, 1]),
        fatal: 0,
        interval: chance.pick([7, 30]),
        ...(chance.of(0.3) && { idle: 3 }),
      };
    default: {
      const errors = chance.pick([undefined, undefined, undefined, 'permanent', 'ignored'] as const);
      const retries = chance.of(0.2) ? chance.between(1, 4) : undefined;
      return {
        ...common,
        ...(errors && { errors }),
        ...(retries && { retries }),
        ...(kind === 'field' && { field: 'spec.a' }),
        ...(kind === 'update' && !common.filtered && chance.of(0.25) && { field: 'spec.b' }),
        ...(kind === 'delete' && chance.of(0.2) && { optional: true }),
        // Each round of sub-handlers is an attempt of their parent.
        children: retries === undefined && chance.of(0.2) ? chance.between(1, 3) : 0,
      };
    }
  }
}
