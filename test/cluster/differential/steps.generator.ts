import type { Draw } from './draw.js';
import type { StepPlan, TimingPlan } from './program.js';
import { drawAnnotations, drawLabels, drawSpec, drawValue } from './values.generator.js';

/** What is known of the program while its steps are drawn. */
interface Situation {
  isRunning: boolean;
  exists: boolean;
}

/** Draws what the user does: an object is created, changed, deleted, and the operator is stopped and started in between. */
export function drawSteps(draw: Draw): StepPlan[] {
  const situation: Situation = { isRunning: false, exists: false };
  const begin = draw.chance(0.7)
    ? [start(situation), create(draw, situation)]
    : [create(draw, situation), start(situation)];
  const steps = [...begin, ...draw.several(2, 5, () => drawStep(draw, situation)).flat()];
  if (!situation.isRunning) steps.push(start(situation));
  if (situation.exists && draw.chance(0.6)) steps.push({ action: 'delete', timing: drawTiming(draw, situation) });
  return steps;
}

function start(situation: Situation): StepPlan {
  situation.isRunning = true;
  return { action: 'start', timing: 'rest' };
}

function create(draw: Draw, situation: Situation): StepPlan {
  situation.exists = true;
  const status = draw.maybe(0.1, () => ({ s: drawValue(draw) }));
  const metadata = { labels: drawLabels(draw), annotations: drawAnnotations(draw) };
  return { action: 'create', timing: 'rest', object: { metadata, spec: drawSpec(draw), ...(status && { status }) } };
}

function drawStep(draw: Draw, situation: Situation): StepPlan[] {
  if (!situation.exists) return [create(draw, situation)];
  return draw.weighted<StepPlan[]>([
    [10, () => [{ action: 'patch', timing: drawTiming(draw, situation), ...drawPatch(draw) }]],
    [2, () => drawDowntime(draw, situation)],
    [1, () => drawDeletion(draw, situation)],
    [1, () => [{ action: 'recreate', timing: 'rest' }]],
  ]);
}

/** Stops the operator, changes something or not, and starts it again. */
function drawDowntime(draw: Draw, situation: Situation): StepPlan[] {
  // "An operator that stops waits for delayed handlers, and touches the object", in Kopf.
  const stop: StepPlan = { action: 'stop', timing: 'rest' };
  situation.isRunning = false;
  const changes = draw.several(0, 2, (): StepPlan => ({ action: 'patch', timing: 'rest', ...drawPatch(draw) }));
  const end = draw.maybe(0.2, (): StepPlan => ({ action: 'delete', timing: 'rest' }));
  if (end) situation.exists = false;
  return [stop, ...changes, ...(end ? [end] : []), start(situation)];
}

function drawDeletion(draw: Draw, situation: Situation): StepPlan[] {
  const timing = drawTiming(draw, situation);
  situation.exists = false;
  // While the deletion is handled, the object can be changed.
  const change: StepPlan = { action: 'patch', timing: { call: 1 }, ...drawPatch(draw) };
  return [{ action: 'delete', timing }, ...(draw.chance(0.3) ? [change] : []), { ...create(draw, situation) }];
}

function drawTiming(draw: Draw, { isRunning }: Situation): TimingPlan {
  if (!isRunning) return 'rest';
  return draw.weighted<TimingPlan>([
    [6, () => 'rest'],
    [2, () => 'delayed'],
    [2, () => ({ call: draw.integer(1, 2) })],
  ]);
}

function drawPatch(draw: Draw): { patch: Record<string, unknown>; status?: boolean } {
  const value = (): unknown => (draw.chance(0.25) ? null : drawValue(draw));
  const text = (): string | null => (draw.chance(0.3) ? null : draw.pick(['x', 'y', '']));
  return draw.weighted<{ patch: Record<string, unknown>; status?: boolean }>([
    [6, () => ({ patch: { spec: { a: value() } } })],
    [2, () => ({ patch: { spec: { b: draw.chance(0.3) ? null : { c: value() } } } })],
    [1, () => ({ patch: { spec: { list: value() } } })],
    [1, () => ({ patch: { spec: { a: value(), b: { c: value() }, other: value() } } })],
    [2, () => ({ patch: { metadata: { labels: { tier: text() } } } })],
    [1, () => ({ patch: { metadata: { labels: { app: text() }, annotations: { note: text() } } } })],
    [2, () => ({ patch: { status: { s: value() } }, status: true })],
  ]);
}
