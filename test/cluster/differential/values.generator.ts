import type { Draw } from './draw.js';
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
export function drawValue(draw: Draw): unknown {
  return draw.weighted<unknown>([
    [3, () => draw.integer(2, 4)],
    [3, () => draw.pick(WORDS)],
    [1, () => 2.5],
    [1, () => ({ c: draw.integer(2, 4) })],
    [1, () => ({ c: draw.pick(WORDS), d: { e: draw.integer(2, 4) } })],
    [1, () => draw.several(0, 3, () => draw.integer(2, 4))],
    [1, () => true],
  ]);
}

/** Some fields of a spec; those of `spec.b` are always in a map. */
export function drawSpec(draw: Draw): Record<string, unknown> {
  return {
    ...(draw.chance(0.7) && { a: drawValue(draw) }),
    ...(draw.chance(0.5) && { b: { c: drawValue(draw) } }),
    ...(draw.chance(0.3) && { list: draw.several(0, 3, () => drawValue(draw)) }),
  };
}

export function drawLabels(draw: Draw): Record<string, string> {
  return Object.fromEntries(LABELS.filter(() => draw.chance(0.4)).map((name) => [name, draw.pick(['x', 'y', ''])]));
}

export function drawAnnotations(draw: Draw): Record<string, string> {
  return draw.chance(0.3) ? { note: draw.pick(WORDS) } : {};
}

function drawFilter(draw: Draw, value: () => unknown): FilterPlan {
  return draw.weighted<FilterPlan>([
    [2, () => ({ token: 'PRESENT' })],
    [2, () => ({ token: 'ABSENT' })],
    [3, () => ({ literal: value() })],
    [1, () => ({ predicate: { test: 'exists' } })],
    [1, () => ({ predicate: { test: draw.pick(['equals', 'differs']), value: value() } })],
  ]);
}

/** Filters of a handler; most handlers have none, so that most objects are handled. */
export function drawFilters(draw: Draw, { field, changes }: { field: number; changes: boolean }): OptionsPlan {
  const text = (): string => draw.pick(['x', 'y', '']);
  const hasField = draw.chance(field);
  const value = (): FilterPlan => drawFilter(draw, () => drawValue(draw));
  const path = draw.pick(['a', 'list', 'by']);
  const comparesChange = changes && draw.chance(0.25);
  const changeFilters = (): OptionsPlan => ({
    ...(draw.chance(0.6) && { old: value() }),
    ...(draw.chance(0.6) && { new: value() }),
  });
  return {
    ...(hasField && { field: draw.pick(FIELDS) }),
    // Either what the field is, or what it was and will be: Kopf takes no more.
    ...(hasField && (comparesChange ? changeFilters() : draw.chance(0.3) && { value: value() })),
    ...(draw.chance(0.12) && { labels: { [draw.pick(LABELS)]: drawFilter(draw, text) } }),
    ...(draw.chance(0.08) && { annotations: { note: drawFilter(draw, text) } }),
    ...(draw.chance(0.08) && {
      when: { path: ['spec', path], test: draw.pick(['exists', 'equals', 'differs']), value: drawValue(draw) },
    }),
  };
}
