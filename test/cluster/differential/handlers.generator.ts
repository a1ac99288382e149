import type { Draw } from './draw.js';
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

/** What may be drawn for one handler. */
interface Budget {
  /** Whether its attempts may be delayed. Two that wait at the same time come in an order that depends on the machine. */
  readonly waits: boolean;
  /** How deep sub-handlers may be. */
  readonly depth: number;
}

/** Draws handlers: one of them at most waits between its attempts. */
export function drawHandlers(draw: Draw, statusSubresource: boolean): HandlerPlan[] {
  const count = draw.integer(1, 5);
  const waiting = draw.integer(0, count);
  const handlers = Array.from({ length: count }, (_, index) => drawHandler(draw, index, index === waiting));
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

function drawHandler(draw: Draw, index: number, waits: boolean): HandlerPlan {
  const id = draw.weighted([
    [7, () => `h${index}`],
    [1, () => `h${index}/part`],
    [1, () => `h${index}.<locals>.fn`],
    [1, () => `h${index}_${LONG}`],
  ]);
  const kinds = drawKinds(draw);
  const body = kinds[0] === 'event' ? drawEventBody(draw, id) : drawBody(draw, id, { waits, depth: 2 });
  return { id, decorators: kinds.map((kind) => drawDecorator(draw, kind, waits)), body };
}

function drawKinds(draw: Draw): HandlerKind[] {
  return draw.weighted<HandlerKind[]>([
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

function drawDecorator(draw: Draw, kind: HandlerKind, waits: boolean): DecoratorPlan {
  const changes = kind === 'update' || kind === 'field';
  const filters = drawFilters(draw, { field: kind === 'field' ? 1 : 0.2, changes });
  return {
    kind,
    options: {
      ...filters,
      ...(kind !== 'event' && drawRetryOptions(draw, waits)),
      ...(kind === 'delete' && draw.chance(0.2) && { optional: true }),
      ...(kind === 'resume' && draw.chance(0.3) && { deleted: true }),
      ...(draw.chance(0.1) && { param: drawValue(draw) }),
    },
  };
}

/** A timeout is either too short for a second attempt or never reached, so that the machine's speed does not matter. */
function drawRetryOptions(draw: Draw, waits: boolean): OptionsPlan {
  return {
    ...(draw.chance(0.15) && { errors: draw.pick(['temporary', 'permanent', 'ignored'] as const) }),
    ...(draw.chance(0.2) && { retries: draw.integer(1, 3) }),
    ...(draw.chance(0.1) && { timeout: waits && draw.chance(0.5) ? 0.3 : 600 }),
    backoff: waits ? DELAY : 0,
  };
}

function drawBody(draw: Draw, id: string, budget: Budget): BodyPlan {
  const { depth } = budget;
  const children =
    depth > 0 && draw.chance(0.2) ? draw.several(1, 3, (index) => drawChild(draw, index, id, budget)) : [];
  return {
    attempts: drawAttempts(draw, id, budget.waits),
    children,
    executes: children.length > 0 && draw.chance(0.3),
  };
}

function drawChild(draw: Draw, index: number, parent: string, { waits, depth }: Budget): ChildPlan {
  const id = draw.weighted([
    [4, () => `c${index}`],
    [1, () => `c${index}/deep`],
    [1, () => `c${index}_${LONG}`],
  ]);
  const isWaiting = waits && index === 0;
  const filters = drawFilters(draw, { field: 0.15, changes: false });
  const options = { ...filters, ...drawRetryOptions(draw, isWaiting) };
  return { id, options, body: drawBody(draw, `${parent}/${id}`, { waits: isWaiting, depth: depth - 1 }) };
}

/**
 * Handlers of events change something only once: after a patch that changes nothing, Kopf does not call other handlers.
 * "A patch that changes nothing ends the waiting of delayed handlers, until something else happens."
 */
function drawEventBody(draw: Draw, id: string): BodyPlan {
  const patches = drawPatches(draw, id, 0.3).map((patch) => ({ ...patch, once: true }));
  const attempt = draw.chance(0.8) ? { patches } : { patches: [], error: drawError(draw, false) };
  return { attempts: [attempt], children: [], executes: false };
}

function drawAttempts(draw: Draw, id: string, waits: boolean): AttemptPlan[] {
  const failure = (): AttemptPlan => ({ patches: drawPatches(draw, id, 0.15), error: drawError(draw, waits) });
  const end = draw.weighted<AttemptPlan>([
    [9, () => drawSuccess(draw, id, 0.3)],
    [1, () => ({ patches: drawPatches(draw, id, 0.15), error: { kind: 'permanent', message: MESSAGE } })],
  ]);
  const failures = draw.chance(0.35) ? draw.several(1, 3, failure) : [];
  return [...failures, end];
}

function drawSuccess(draw: Draw, id: string, patched: number): AttemptPlan {
  const result = draw.maybe(0.4, () => drawValue(draw));
  return { patches: drawPatches(draw, id, patched), ...(result !== undefined && { result }) };
}

function drawError(draw: Draw, waits: boolean): NonNullable<AttemptPlan['error']> {
  const delay = waits ? DELAY : draw.pick([0, null]);
  return draw.weighted<NonNullable<AttemptPlan['error']>>([
    [3, () => ({ kind: 'temporary', message: MESSAGE, delay })],
    [2, () => ({ kind: 'arbitrary', message: MESSAGE })],
    [1, () => ({ kind: 'permanent', message: MESSAGE })],
  ]);
}

/** Each handler writes values of its own into fields of its own, so that handlers never undo what others do, endlessly. */
function drawPatches(draw: Draw, id: string, probability: number): PatchPlan[] {
  if (!draw.chance(probability)) return [];
  const own = `by-${id.replace(/[^a-z0-9]/g, '').slice(0, 20)}`;
  const parts = ['spec', 'status', 'labels', 'annotations', 'transformation'] as const;
  return draw.several(1, 2, () => ({ part: draw.pick(parts), key: own, value: 'done' }));
}
