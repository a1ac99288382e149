import type { RandomChoices } from '../support/generators/random.choices.js';
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
export function drawOperator(choices: RandomChoices, statusSubresource: boolean): OperatorPlan {
  const handlers: HandlerPlan[] = [drawHandler(choices, 'create', 0), drawHandler(choices, 'update', 1)];
  const count = choices.between(1, 5);
  for (let index = 2; index < count + 2; index++) handlers.push(drawHandler(choices, choices.pick(KINDS), index));
  return {
    handlers,
    lifecycle: choices.pick(['asap', 'asap', 'allAtOnce', 'oneByOne', 'randomized', 'shuffled'] as const),
    // Without a subresource, or with one, the status is a place to store in.
    storage: choices.pick(['smart', 'smart', 'annotations', 'multi', statusSubresource ? 'smart' : 'status'] as const),
    progress: choices.pick(['purge', 'purge', 'keep'] as const),
    consistencyTimeout: choices.pick([5, 5, 5, 1]),
    requestTimeout: choices.pick([300, 20, 5]),
    workerLimit: choices.pick([null, null, 1, 2]),
    streamedLists: choices.withProbability(0.3),
    posting: choices.withProbability(0.2),
    namespaced: choices.withProbability(0.3),
  };
}

function drawHandler(choices: RandomChoices, kind: HandlerKind, index: number): HandlerPlan {
  const common = {
    kind,
    id: `${kind}${index}`,
    filtered: kind !== 'field' && choices.withProbability(0.25),
    backoff: choices.pick([0.5, 2, 5]),
    duration: choices.pick([0, 0, 0.5, 2, 12]),
    failing: choices.pick([0, 0, 0.2, 0.5]),
    fatal: choices.pick([0, 0, 0.1]),
    effect: choices.pick(['nothing', 'nothing', 'merge', 'transform', 'both'] as const),
    result: choices.withProbability(0.4),
    children: 0,
  };
  switch (kind) {
    case 'event':
    case 'index':
      return { ...common, duration: 0, failing: 0, fatal: 0 };
    case 'daemon': {
      const lifespan = choices.withProbability(0.3) ? choices.pick([0, 1, 15]) : undefined;
      return {
        ...common,
        failing: 0,
        fatal: 0,
        exit: choices.pick([0, 0, 1, 4]),
        ...(lifespan !== undefined && { lifespan }),
      };
    }
    case 'timer':
      return {
        ...common,
        duration: choices.pick([0, 1]),
        fatal: 0,
        interval: choices.pick([7, 30]),
        ...(choices.withProbability(0.3) && { idle: 3 }),
      };
    default: {
      const errors = choices.pick([undefined, undefined, undefined, 'permanent', 'ignored'] as const);
      const retries = choices.withProbability(0.2) ? choices.between(1, 4) : undefined;
      return {
        ...common,
        ...(errors && { errors }),
        ...(retries && { retries }),
        ...(kind === 'field' && { field: 'spec.a' }),
        ...(kind === 'update' && !common.filtered && choices.withProbability(0.25) && { field: 'spec.b' }),
        ...(kind === 'delete' && choices.withProbability(0.2) && { optional: true }),
        // Each round of sub-handlers is an attempt of their parent.
        children: retries === undefined && choices.withProbability(0.2) ? choices.between(1, 3) : 0,
      };
    }
  }
}
