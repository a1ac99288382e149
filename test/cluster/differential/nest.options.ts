import { isDeepStrictEqual } from 'node:util';
import { ABSENT, PRESENT } from 'nestjs-kopf';
import type { UpdateOptions } from 'nestjs-kopf/decorators';
import type { FilterPlan, OptionsPlan, PredicatePlan } from './program.js';

type Filters = Record<string, any>;

function holds({ test, value: wanted }: PredicatePlan, value: unknown): boolean {
  if (test === 'exists') return value !== undefined && value !== null;
  return isDeepStrictEqual(value, wanted) === (test === 'equals');
}

function resolve(body: unknown, path: readonly string[]): unknown {
  return path.reduce((value, key) => (value as Filters | undefined)?.[key] as unknown, body);
}

function makeFilter(plan: FilterPlan): unknown {
  if ('token' in plan) return plan.token === 'PRESENT' ? PRESENT : ABSENT;
  if ('literal' in plan) return plan.literal;
  return (value: unknown) => holds(plan.predicate, value);
}

/** The options of a decorator or of a sub-handler, with filters made of their plans. */
export function makeOptions(plan: OptionsPlan): UpdateOptions {
  const options: Filters = { ...plan };
  for (const key of ['value', 'old', 'new'] as const) {
    const filter = plan[key];
    if (filter) options[key] = makeFilter(filter);
  }
  for (const key of ['labels', 'annotations'] as const) {
    const filters = plan[key];
    if (!filters) continue;
    options[key] = Object.fromEntries(Object.entries(filters).map(([name, each]) => [name, makeFilter(each)]));
  }
  const { when } = plan;
  if (when) options.when = ({ body }: { body: unknown }) => holds(when, resolve(body, when.path));
  return options as UpdateOptions;
}
