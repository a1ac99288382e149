import type { Chance } from '../load/random.choices.js';
import { drawOperator } from './operator.drawing.js';
import type { Action, FaultAction, FaultTarget, SchedulePlan, Step, Trigger, UserAction } from './schedule.plan.js';
import { chanceFor } from './seed.hash.js';

const NAMES = ['one', 'two', 'three'];
const WRITE_REJECTIONS = [409, 422, 404, 500, 429, 401, 403, 503];
const READ_REJECTIONS = [500, 429, 401, 403, 503, 504];

/** Draws a whole schedule. */
export function drawSchedule(seed: number): SchedulePlan {
  const chance = chanceFor(seed, 'plan');
  const statusSubresource = chance.of(0.5);
  const operator = drawOperator(chanceFor(seed, 'operator'), statusSubresource);
  const names = NAMES.slice(0, chance.between(1, 3));
  const steps: Step[] = names.map((name) => ({
    when: { after: chance.between(0, 20) / 10 },
    action: { do: 'create', name },
  }));
  const count = chance.between(4, 16);
  for (let index = 0; index < count; index++)
    steps.push({ when: drawTrigger(chance), action: drawAction(chance, names) });
  return { seed, statusSubresource, historySize: chance.pick([1000, 1000, 20, 5]), operator, steps };
}

function drawTrigger(chance: Chance): Trigger {
  if (chance.of(0.4)) {
    return { at: chance.pick(['before-write', 'after-write', 'in-handler'] as const), count: chance.between(1, 4) };
  }
  if (chance.of(0.15)) return { after: chance.between(10, 90) };
  return { after: chance.between(0, 40) / 10 };
}

function drawAction(chance: Chance, names: readonly string[]): Action {
  if (chance.of(0.42)) return drawUserAction(chance, names);
  if (chance.of(0.75)) return drawFault(chance);
  return { do: chance.of(0.7) ? 'crash' : 'restart', seconds: chance.pick([0, 0.5, 3, 30]) };
}

function drawUserAction(chance: Chance, names: readonly string[]): UserAction {
  const name = chance.pick(names);
  const lot = chance.between(1, 100);
  if (lot <= 45) return { do: 'edit', name, field: chance.pick(['a', 'b']), value: chance.between(1, 4) };
  if (lot <= 55) return { do: 'revert', name };
  if (lot <= 70) return { do: 'label', name };
  if (lot <= 80) return { do: 'delete', name };
  if (lot <= 87) return { do: 'recreate', name };
  if (lot <= 93) return { do: 'replace', name };
  return { do: 'create', name };
}

function drawFault(chance: Chance): FaultAction {
  const target: FaultTarget = chance.pick(['write', 'write', 'write', 'status', 'read', 'watch']);
  const times = chance.pick([1, 1, 1, 2, 5, 12]);
  switch (chance.between(1, 9)) {
    case 1:
    case 2: {
      const isWrite = target === 'write' || target === 'status';
      return { do: 'refuse', target, status: chance.pick(isWrite ? WRITE_REJECTIONS : READ_REJECTIONS), times };
    }
    case 3:
    case 4:
      return { do: 'lose', target, phase: chance.pick(['request', 'answer', 'answer', 'body']), times };
    case 5: {
      const phase = chance.pick(['request', 'answer'] as const);
      const kind = chance.pick(['slow', 'slow', 'hang'] as const);
      return { do: kind, target, phase, seconds: chance.pick([0.3, 2, 7]), times: Math.min(times, 3) };
    }
    case 6:
    case 7: {
      const then = chance.pick(['lines', 'lines', 'reset', 'end', 'nothing'] as const);
      return { do: 'silence', seconds: chance.pick([1, 4, 6, 15, 50]), then };
    }
    case 8:
      return { do: chance.pick(['reset', 'end', 'gone', 'broken-line', 'expire'] as const) };
    default:
      return { do: 'down', seconds: chance.pick([0.5, 3, 20]), forgetful: chance.of(0.5) };
  }
}
