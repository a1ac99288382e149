import type { RandomChoices } from '../../support/generators/random.choices.js';
import type {
  AttemptPlan,
  BodyPlan,
  ChildPlan,
  DecoratorPlan,
  HandlerKind,
  HandlerPlan,
  OptionsPlan,
  PatchPlan,
} from './program.js';
import { drawFilters, drawValue } from './values.generator.js';

const LONG = 'a_handler_whose_identifier_is_longer_than_the_limit_of_sixty_three_characters';
/** The delay of handlers that wait, in seconds: long enough to be told apart from the time that everything takes. */
const DELAY = 1.5;
const MESSAGE = 'not "yet" — é 🐍\nsecond line';

const PLAIN: HandlerPlan = {
  id: 'plain',
  decorators: [{ kind: 'create', options: {} }],
  body: { attempts: [{ patches: [], result: 'done' }], children: [], executes: false },
};

/** The options that may be drawn for one handler. */
interface Budget {
  /** Tells whether its attempts may be delayed. Two that wait at the same time come in an order that depends on the machine. */
  readonly waits: boolean;
  /** Limits the depth of sub-handlers. */
  readonly depth: number;
}

/** Draws handlers: one of them at most waits between its attempts. */
export function drawHandlers(choices: RandomChoices, statusSubresource: boolean): HandlerPlan[] {
  const count = choices.between(1, 5);
  const waiting = choices.between(0, count);
  const handlers = Array.from({ length: count }, (_, index) => drawHandler(choices, index, index === waiting));
  // Handlers of events see what is between two patches of one cycle, whose order is not Kopf's.
  if (statusSubresource) {
    const others = handlers.filter(({ decorators }) => decorators[0].kind !== 'event');
    return others.length ? others : [PLAIN];
  }
  const needsFinalizer = handlers.some(({ decorators }) => decorators.some(({ kind }) => kind === 'delete'));
  return needsFinalizer ? handlers.map(withoutPatchesOfEvents) : handlers;
}

/**
 * A patch of an event handler and the finalizer get into each other's way, and leave the object unhandled by Kopf:
 * "A finalizer that is refused because the object has changed meanwhile ends the handling, until something else happens."
 */
function withoutPatchesOfEvents(handler: HandlerPlan): HandlerPlan {
  if (handler.decorators[0].kind !== 'event') return handler;
  const attempts = handler.body.attempts.map((attempt) => ({ ...attempt, patches: [] }));
  return { ...handler, body: { ...handler.body, attempts } };
}

function drawHandler(choices: RandomChoices, index: number, waits: boolean): HandlerPlan {
  const id = choices.weighted([
    [7, () => `h${index}`],
    [1, () => `h${index}/part`],
    [1, () => `h${index}.<locals>.fn`],
    [1, () => `h${index}_${LONG}`],
  ]);
  const kinds = drawKinds(choices);
  const body = kinds[0] === 'event' ? drawEventBody(choices, id) : drawBody(choices, id, { waits, depth: 2 });
  return { id, decorators: kinds.map((kind) => drawDecorator(choices, kind, waits)), body };
}

function drawKinds(choices: RandomChoices): HandlerKind[] {
  return choices.weighted<HandlerKind[]>([
    [4, () => ['create']],
    [4, () => ['update']],
    [3, () => ['delete']],
    [2, () => ['resume']],
    [4, () => ['field']],
    [2, () => ['event']],
    [3, () => ['create', 'update']],
    [1, () => ['update', 'create', 'resume']],
    [1, () => ['resume', 'create']],
    [1, () => ['delete', 'update']],
  ]);
}

function drawDecorator(choices: RandomChoices, kind: HandlerKind, waits: boolean): DecoratorPlan {
  const changes = kind === 'update' || kind === 'field';
  const filters = drawFilters(choices, { field: kind === 'field' ? 1 : 0.2, changes });
  return {
    kind,
    options: {
      ...filters,
      ...(kind !== 'event' && drawRetryOptions(choices, waits)),
      ...(kind === 'delete' && choices.withProbability(0.2) && { optional: true }),
      ...(kind === 'resume' && choices.withProbability(0.3) && { deleted: true }),
      ...(choices.withProbability(0.1) && { param: drawValue(choices) }),
    },
  };
}

/** A timeout is either too short for a second attempt or never reached, so that the machine's speed does not matter. */
function drawRetryOptions(choices: RandomChoices, waits: boolean): OptionsPlan {
  return {
    ...(choices.withProbability(0.15) && { errors: choices.pick(['temporary', 'permanent', 'ignored'] as const) }),
    ...(choices.withProbability(0.2) && { retries: choices.between(1, 3) }),
    ...(choices.withProbability(0.1) && { timeout: waits && choices.withProbability(0.5) ? 0.3 : 600 }),
    backoff: waits ? DELAY : 0,
  };
}

function drawBody(choices: RandomChoices, id: string, budget: Budget): BodyPlan {
  const { depth } = budget;
  const children =
    depth > 0 && choices.withProbability(0.2)
      ? choices.several(1, 3, (index) => drawChild(choices, index, id, budget))
      : [];
  return {
    attempts: drawAttempts(choices, id, budget.waits),
    children,
    executes: children.length > 0 && choices.withProbability(0.3),
  };
}

function drawChild(choices: RandomChoices, index: number, parent: string, { waits, depth }: Budget): ChildPlan {
  const id = choices.weighted([
    [4, () => `c${index}`],
    [1, () => `c${index}/deep`],
    [1, () => `c${index}_${LONG}`],
  ]);
  const isWaiting = waits && index === 0;
  const filters = drawFilters(choices, { field: 0.15, changes: false });
  const options = { ...filters, ...drawRetryOptions(choices, isWaiting) };
  return { id, options, body: drawBody(choices, `${parent}/${id}`, { waits: isWaiting, depth: depth - 1 }) };
}

/**
 * Handlers of events change something only once: after a patch that changes nothing, Kopf does not call other handlers.
 * "A patch that changes nothing ends the waiting of delayed handlers, until something else happens."
 */
function drawEventBody(choices: RandomChoices, id: string): BodyPlan {
  const patches = drawPatches(choices, id, 0.3).map((patch) => ({ ...patch, once: true }));
  const attempt = choices.withProbability(0.8) ? { patches } : { patches: [], error: drawError(choices, false) };
  return { attempts: [attempt], children: [], executes: false };
}

function drawAttempts(choices: RandomChoices, id: string, waits: boolean): AttemptPlan[] {
  const failure = (): AttemptPlan => ({ patches: drawPatches(choices, id, 0.15), error: drawError(choices, waits) });
  const end = choices.weighted<AttemptPlan>([
    [9, () => drawSuccess(choices, id, 0.3)],
    [1, () => ({ patches: drawPatches(choices, id, 0.15), error: { kind: 'permanent', message: MESSAGE } })],
  ]);
  const failures = choices.withProbability(0.35) ? choices.several(1, 3, failure) : [];
  return [...failures, end];
}

function drawSuccess(choices: RandomChoices, id: string, patched: number): AttemptPlan {
  const result = choices.maybe(0.4, () => drawValue(choices));
  return { patches: drawPatches(choices, id, patched), ...(result !== undefined && { result }) };
}

function drawError(choices: RandomChoices, waits: boolean): NonNullable<AttemptPlan['error']> {
  const delay = waits ? DELAY : choices.pick([0, null]);
  return choices.weighted<NonNullable<AttemptPlan['error']>>([
    [3, () => ({ kind: 'temporary', message: MESSAGE, delay })],
    [2, () => ({ kind: 'arbitrary', message: MESSAGE })],
    [1, () => ({ kind: 'permanent', message: MESSAGE })],
  ]);
}

/** Each handler writes values of its own into fields of its own, so that handlers never undo what others do, endlessly. */
function drawPatches(choices: RandomChoices, id: string, probability: number): PatchPlan[] {
  if (!choices.withProbability(probability)) return [];
  const own = `by-${id.replace(/[^a-z0-9]/g, '').slice(0, 20)}`;
  const parts = ['spec', 'status', 'labels', 'annotations', 'transformation'] as const;
  return choices.several(1, 2, () => ({ part: choices.pick(parts), key: own, value: 'done' }));
}
