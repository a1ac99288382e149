import type { RandomChoices } from '../../support/generators/random.choices.js';
import type { FilterPlan, OptionsPlan } from './program.js';

const FIELDS = [
  'spec.a',
  'spec.a',
  'spec.b',
  'spec.b.c',
  'spec.list',
  'spec',
  'metadata.labels',
  'metadata.labels.tier',
  'metadata.annotations.note',
  'status.s',
] as const;
const LABELS = ['tier', 'app'] as const;
const WORDS = ['x', 'y', 'zürich "7" 🐍', ''] as const;

/**
 * A value of a field. Numbers are such that no two values are equal in Python and different here, or larger than what a double holds:
 * "`1`, `1.0`, and `True` are equal in diffs and filters" in Kopf.
 */
export function drawValue(choices: RandomChoices): unknown {
  return choices.weighted<unknown>([
    [3, () => choices.between(2, 4)],
    [3, () => choices.pick(WORDS)],
    [1, () => 2.5],
    [1, () => ({ c: choices.between(2, 4) })],
    [1, () => ({ c: choices.pick(WORDS), d: { e: choices.between(2, 4) } })],
    [1, () => choices.several(0, 3, () => choices.between(2, 4))],
    [1, () => true],
  ]);
}

/** Some fields of a spec; those of `spec.b` are always in a map. */
export function drawSpec(choices: RandomChoices): Record<string, unknown> {
  return {
    ...(choices.withProbability(0.7) && { a: drawValue(choices) }),
    ...(choices.withProbability(0.5) && { b: { c: drawValue(choices) } }),
    ...(choices.withProbability(0.3) && { list: choices.several(0, 3, () => drawValue(choices)) }),
  };
}

export function drawLabels(choices: RandomChoices): Record<string, string> {
  return Object.fromEntries(
    LABELS.filter(() => choices.withProbability(0.4)).map((name) => [name, choices.pick(['x', 'y', ''])]),
  );
}

export function drawAnnotations(choices: RandomChoices): Record<string, string> {
  return choices.withProbability(0.3) ? { note: choices.pick(WORDS) } : {};
}

function drawFilter(choices: RandomChoices, value: () => unknown): FilterPlan {
  return choices.weighted<FilterPlan>([
    [2, () => ({ token: 'PRESENT' })],
    [2, () => ({ token: 'ABSENT' })],
    [3, () => ({ literal: value() })],
    [1, () => ({ predicate: { test: 'exists' } })],
    [1, () => ({ predicate: { test: choices.pick(['equals', 'differs']), value: value() } })],
  ]);
}

/** Filters of a handler; most handlers have none, so that most objects are handled. */
export function drawFilters(
  choices: RandomChoices,
  { field, changes }: { field: number; changes: boolean },
): OptionsPlan {
  const text = (): string => choices.pick(['x', 'y', '']);
  const hasField = choices.withProbability(field);
  const value = (): FilterPlan => drawFilter(choices, () => drawValue(choices));
  const path = choices.pick(['a', 'list', 'by']);
  const comparesChange = changes && choices.withProbability(0.25);
  const changeFilters = (): OptionsPlan => ({
    ...(choices.withProbability(0.6) && { old: value() }),
    ...(choices.withProbability(0.6) && { new: value() }),
  });
  return {
    ...(hasField && { field: choices.pick(FIELDS) }),
    // Either what the field is, or what it was and will be: Kopf takes no more.
    ...(hasField && (comparesChange ? changeFilters() : choices.withProbability(0.3) && { value: value() })),
    ...(choices.withProbability(0.12) && { labels: { [choices.pick(LABELS)]: drawFilter(choices, text) } }),
    ...(choices.withProbability(0.08) && { annotations: { note: drawFilter(choices, text) } }),
    ...(choices.withProbability(0.08) && {
      when: { path: ['spec', path], test: choices.pick(['exists', 'equals', 'differs']), value: drawValue(choices) },
    }),
  };
}
