import type { RandomChoices } from '../../support/generators/random.choices.js';
import type { StepPlan, TimingPlan } from './program.js';
import { drawAnnotations, drawLabels, drawSpec, drawValue } from './values.generator.js';

/** The state of the program while its steps are drawn. */
interface Situation {
  isRunning: boolean;
  exists: boolean;
}

/** Draws what the user does: an object is created, changed, deleted, and the operator is stopped and started in between. */
export function drawSteps(choices: RandomChoices): StepPlan[] {
  const situation: Situation = { isRunning: false, exists: false };
  const begin = choices.withProbability(0.7)
    ? [start(situation), create(choices, situation)]
    : [create(choices, situation), start(situation)];
  const steps = [...begin, ...choices.several(2, 5, () => drawStep(choices, situation)).flat()];
  if (!situation.isRunning) steps.push(start(situation));
  if (situation.exists && choices.withProbability(0.6))
    steps.push({ action: 'delete', timing: drawTiming(choices, situation) });
  return steps;
}

function start(situation: Situation): StepPlan {
  situation.isRunning = true;
  return { action: 'start', timing: 'rest' };
}

function create(choices: RandomChoices, situation: Situation): StepPlan {
  situation.exists = true;
  const status = choices.maybe(0.1, () => ({ s: drawValue(choices) }));
  const metadata = { labels: drawLabels(choices), annotations: drawAnnotations(choices) };
  return { action: 'create', timing: 'rest', object: { metadata, spec: drawSpec(choices), ...(status && { status }) } };
}

function drawStep(choices: RandomChoices, situation: Situation): StepPlan[] {
  if (!situation.exists) return [create(choices, situation)];
  return choices.weighted<StepPlan[]>([
    [10, () => [{ action: 'patch', timing: drawTiming(choices, situation), ...drawPatch(choices) }]],
    [2, () => drawDowntime(choices, situation)],
    [1, () => drawDeletion(choices, situation)],
    [1, () => [{ action: 'recreate', timing: 'rest' }]],
  ]);
}

/** Stops the operator, changes something or not, and starts it again. */
function drawDowntime(choices: RandomChoices, situation: Situation): StepPlan[] {
  // "An operator that stops waits for delayed handlers, and touches the object", in Kopf.
  const stop: StepPlan = { action: 'stop', timing: 'rest' };
  situation.isRunning = false;
  const changes = choices.several(0, 2, (): StepPlan => ({ action: 'patch', timing: 'rest', ...drawPatch(choices) }));
  const end = choices.maybe(0.2, (): StepPlan => ({ action: 'delete', timing: 'rest' }));
  if (end) situation.exists = false;
  return [stop, ...changes, ...(end ? [end] : []), start(situation)];
}

function drawDeletion(choices: RandomChoices, situation: Situation): StepPlan[] {
  const timing = drawTiming(choices, situation);
  situation.exists = false;
  // While the deletion is handled, the object can be changed.
  const change: StepPlan = { action: 'patch', timing: { call: 1 }, ...drawPatch(choices) };
  return [
    { action: 'delete', timing },
    ...(choices.withProbability(0.3) ? [change] : []),
    { ...create(choices, situation) },
  ];
}

function drawTiming(choices: RandomChoices, { isRunning }: Situation): TimingPlan {
  if (!isRunning) return 'rest';
  return choices.weighted<TimingPlan>([
    [6, () => 'rest'],
    [2, () => 'delayed'],
    [2, () => ({ call: choices.between(1, 2) })],
  ]);
}

function drawPatch(choices: RandomChoices): { patch: Record<string, unknown>; status?: boolean } {
  const value = (): unknown => (choices.withProbability(0.25) ? null : drawValue(choices));
  const text = (): string | null => (choices.withProbability(0.3) ? null : choices.pick(['x', 'y', '']));
  return choices.weighted<{ patch: Record<string, unknown>; status?: boolean }>([
    [6, () => ({ patch: { spec: { a: value() } } })],
    [2, () => ({ patch: { spec: { b: choices.withProbability(0.3) ? null : { c: value() } } } })],
    [1, () => ({ patch: { spec: { list: value() } } })],
    [1, () => ({ patch: { spec: { a: value(), b: { c: value() }, other: value() } } })],
    [2, () => ({ patch: { metadata: { labels: { tier: text() } } } })],
    [1, () => ({ patch: { metadata: { labels: { app: text() }, annotations: { note: text() } } } })],
    [2, () => ({ patch: { status: { s: value() } }, status: true })],
  ]);
}
