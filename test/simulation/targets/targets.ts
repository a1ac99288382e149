import { APPLICATION_TARGETS } from './application.targets.js';
import { GALLERY_TARGETS } from './gallery.targets.js';
import { RELATION_TARGETS } from './relation.targets.js';
import type { RandomKind } from './random.operator.js';
import { randomTarget } from './random.target.js';
import type { SimulationTarget } from './simulation.target.js';

/** The applications of this project under simulation; random operators are made by {@link randomTarget}. */
export const FIXED_TARGETS: readonly SimulationTarget[] = [
  ...APPLICATION_TARGETS,
  ...GALLERY_TARGETS,
  ...RELATION_TARGETS,
];

/** Finds a target by its name: `load-tests`; `random-42`, or `random-recreating-42`, for the operator of a seed. @throws TypeError if there is no such target. */
export function findTarget(name: string): SimulationTarget {
  const [, kind = 'plain', seed] =
    /^random-(?:(recreating|selecting|varied|mixed|related|admitting|replicated)-)?(\d+)$/.exec(name) ?? [];
  if (seed !== undefined) return randomTarget(Number(seed), kind as RandomKind);
  const target = FIXED_TARGETS.find((each) => each.name === name);
  if (!target)
    throw new TypeError(`There is no target '${name}', but ${FIXED_TARGETS.map((each) => each.name).join(', ')}.`);
  return target;
}
