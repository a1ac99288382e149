import type { RandomChoices } from '../support/generators/random.choices.js';
import { drawOperator } from './operator.drawing.js';
import type { Action, FaultAction, FaultTarget, SchedulePlan, Step, Trigger, UserAction } from './schedule.plan.js';
import { choicesFor } from './seed.hash.js';

const NAMES = ['one', 'two', 'three'];
const WRITE_REJECTIONS = [409, 422, 404, 500, 429, 401, 403, 503];
const READ_REJECTIONS = [500, 429, 401, 403, 503, 504];

/** Draws a whole schedule. */
export function drawSchedule(seed: number): SchedulePlan {
  const choices = choicesFor(seed, 'plan');
  const statusSubresource = choices.withProbability(0.5);
  const operator = drawOperator(choicesFor(seed, 'operator'), statusSubresource);
  const names = NAMES.slice(0, choices.between(1, 3));
  const steps: Step[] = names.map((name) => ({
    when: { after: choices.between(0, 20) / 10 },
    action: { do: 'create', name },
  }));
  const count = choices.between(4, 16);
  for (let index = 0; index < count; index++)
    steps.push({ when: drawTrigger(choices), action: drawAction(choices, names) });
  return { seed, statusSubresource, historySize: choices.pick([1000, 1000, 20, 5]), operator, steps };
}

function drawTrigger(choices: RandomChoices): Trigger {
  if (choices.withProbability(0.4)) {
    return { at: choices.pick(['before-write', 'after-write', 'in-handler'] as const), count: choices.between(1, 4) };
  }
  if (choices.withProbability(0.15)) return { after: choices.between(10, 90) };
  return { after: choices.between(0, 40) / 10 };
}

function drawAction(choices: RandomChoices, names: readonly string[]): Action {
  if (choices.withProbability(0.42)) return drawUserAction(choices, names);
  if (choices.withProbability(0.75)) return drawFault(choices);
  return { do: choices.withProbability(0.7) ? 'crash' : 'restart', seconds: choices.pick([0, 0.5, 3, 30]) };
}

function drawUserAction(choices: RandomChoices, names: readonly string[]): UserAction {
  const name = choices.pick(names);
  const roll = choices.between(1, 100);
  if (roll <= 45) return { do: 'edit', name, field: choices.pick(['a', 'b']), value: choices.between(1, 4) };
  if (roll <= 55) return { do: 'revert', name };
  if (roll <= 70) return { do: 'label', name };
  if (roll <= 80) return { do: 'delete', name };
  if (roll <= 87) return { do: 'recreate', name };
  if (roll <= 93) return { do: 'replace', name };
  return { do: 'create', name };
}

function drawFault(choices: RandomChoices): FaultAction {
  const target: FaultTarget = choices.pick(['write', 'write', 'write', 'status', 'read', 'watch']);
  const times = choices.pick([1, 1, 1, 2, 5, 12]);
  switch (choices.between(1, 9)) {
    case 1:
    case 2: {
      const isWrite = target === 'write' || target === 'status';
      return { do: 'reject', target, status: choices.pick(isWrite ? WRITE_REJECTIONS : READ_REJECTIONS), times };
    }
    case 3:
    case 4:
      return { do: 'lose', target, phase: choices.pick(['request', 'answer', 'answer', 'body']), times };
    case 5: {
      const phase = choices.pick(['request', 'answer'] as const);
      const kind = choices.pick(['slow', 'slow', 'hang'] as const);
      return { do: kind, target, phase, seconds: choices.pick([0.3, 2, 7]), times: Math.min(times, 3) };
    }
    case 6:
    case 7: {
      const then = choices.pick(['lines', 'lines', 'reset', 'end', 'nothing'] as const);
      return { do: 'silence', seconds: choices.pick([1, 4, 6, 15, 50]), then };
    }
    case 8:
      return { do: choices.pick(['reset', 'end', 'gone', 'broken-line', 'expire'] as const) };
    default:
      return { do: 'down', seconds: choices.pick([0.5, 3, 20]), forgetful: choices.withProbability(0.5) };
  }
}
