import { SeededRandom } from 'nestjs-kopf/testing';
import { RandomChoices } from '../../support/generators/random.choices.js';
import { drawHandlers } from './handlers.generator.js';
import type { CutPlan, Program, ProgramSettings, StepPlan } from './program.js';
import { drawSteps } from './steps.generator.js';

/** Draws the program that belongs to the seed: always the same one. */
export function generateProgram(seed: number): Program {
  const choices = new RandomChoices(new SeededRandom(seed));
  const statusSubresource = choices.withProbability(0.5);
  const drawn = drawSteps(choices);
  // A change in the middle of a call has two patches of one cycle rejected in another order: "With a status subresource, …".
  const steps = statusSubresource ? drawn.map(atRest) : drawn;
  return {
    name: `p${seed}`,
    statusSubresource,
    settings: drawSettings(choices),
    handlers: drawHandlers(choices, statusSubresource),
    steps,
    cut: drawCut(choices, steps, statusSubresource),
  };
}

function atRest(step: StepPlan): StepPlan {
  return typeof step.timing === 'object' ? { ...step, timing: 'rest' } : step;
}

function drawSettings(choices: RandomChoices): ProgramSettings {
  const prefix = choices.pick([
    'my-operator.example.com',
    'kopf.dev',
    'an-operator-with-a-long-name.of-a-company.example.com',
  ]);
  const v1 = choices.withProbability(0.5);
  return {
    defaultBackoff: 0.5,
    consistencyTimeout: 2,
    ...(choices.withProbability(0.2) && { finalizer: 'my-operator.example.com/finalizer' }),
    ...(choices.withProbability(0.4) && { lifecycle: choices.pick(['asap', 'all_at_once', 'one_by_one'] as const) }),
    progress: choices.weighted<ProgramSettings['progress']>([
      [5, () => undefined],
      [2, () => ({ kind: 'annotations', prefix, v1 })],
      [1, () => ({ kind: 'smart', prefix, v1 })],
      [2, () => ({ kind: 'status', ...(choices.withProbability(0.5) && { name: 'my-operator' }) })],
    ]),
    diffbase: choices.weighted<ProgramSettings['diffbase']>([
      [5, () => undefined],
      [2, () => ({ kind: 'annotations', prefix, v1, ...(choices.withProbability(0.5) && { key: 'last' }) })],
      [1, () => ({ kind: 'annotations', ignored: [choices.pick(['spec.a', 'metadata.labels', 'spec.b.c'])] })],
      [2, () => ({ kind: 'status' })],
    ]),
  };
}

function drawCut(choices: RandomChoices, steps: readonly StepPlan[], statusSubresource: boolean): CutPlan {
  // Between two patches of one cycle, it matters which of them is the first: "With a status subresource, …".
  const writes = statusSubresource ? 0 : 2;
  return choices.weighted<CutPlan>([
    [3, () => ({ at: 'call', index: choices.between(0, 8) })],
    [writes, () => ({ at: 'write', index: choices.between(0, 8), delivered: false })],
    [writes, () => ({ at: 'write', index: choices.between(0, 8), delivered: true })],
    [2, () => ({ at: 'stop', step: choices.between(2, steps.length - 1) })],
  ]);
}
