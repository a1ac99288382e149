import { labelSelectorOf, type LabelSelectorObject } from '../selectors/label.selector.js';
import { humanDuration } from './human.duration.js';
import type { Loose } from './table.types.js';

/** Returns the time since a timestamp: `5m`, or `<unknown>` without one. */
export function since(timestamp: unknown, now: number): string {
  return typeof timestamp === 'string' ? humanDuration(now - Date.parse(timestamp)) : '<unknown>';
}

/** Returns the time since the object was created. */
export function age(object: Loose, now: number): string {
  return since(object.metadata?.creationTimestamp, now);
}

/** Returns the text, or the replacement if it is empty or missing. */
export function textOr(text: unknown, replacement: string): string {
  return text === undefined || text === null || text === '' ? replacement : String(text);
}

/** Writes labels as `a=1,b=2`. */
export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.toSorted().join(',') || '<none>';
}

/** Returns a label selector as `a=1,b in (2,3)`. */
export function formatSelector(selector: LabelSelectorObject | undefined): string {
  if (!selector) return '<none>';
  try {
    return String(labelSelectorOf(selector)) || '<none>';
  } catch {
    return '<error>';
  }
}

/** Returns the names and the images of a pod template's containers. */
export function containerCells(template: Loose | undefined): [string, string] {
  const containers: Loose[] = template?.spec?.containers ?? [];
  return [containers.map(({ name }) => name).join(','), containers.map(({ image }) => image).join(',')];
}

/** Writes items up to a limit, with the number of those left out. */
export function limited(items: readonly string[], limit: number, separator: string): string {
  const shown = items.slice(0, limit).join(separator);
  return items.length > limit ? `${shown} + ${items.length - limit} more...` : shown;
}

/** Returns the status of a condition, undefined if the object does not have it. */
export function conditionStatus(conditions: readonly Loose[] | undefined, type: string): string | undefined {
  return conditions?.find((condition) => condition.type === type)?.status;
}

/** Returns the number, or 0 if it is missing. */
export function count(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
