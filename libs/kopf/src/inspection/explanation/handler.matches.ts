import type { ObjectCause } from '../../contexts/object.causes.js';
import { ChangingCause, type DetectedChange } from '../../contexts/changing.cause.js';
import { isHandlingPurpose } from '../../contexts/reason.js';
import { SpawningCause, type CauseOrigin } from '../../contexts/object.causes.js';
import { ABSENT, PRESENT } from '../../contexts/filter-options.js';
import { resolveField } from '../../objects/field-path.js';
import type { HandlerRegistry } from '../../registry/handler.registry.js';
import { matches } from '../../registry/filters.js';
import { anyPrematches } from '../../registry/handler-selection.js';
import type { ChangingHandler, ResourceHandler } from '../../registry/handler.js';
import { errorText } from 'kube-common';

/** The reason why a handler is not called for an object: the filter, the value that it requires, and the value of the object. */
export interface Exclusion {
  /** `reason`, `selector`, `labels`, `annotations`, `field`, `change`, or `when`. */
  readonly filter: string;
  /** The label, the annotation, or the field. */
  readonly key?: string;
  readonly wanted: unknown;
  readonly actual?: unknown;
}

/** The result of matching a handler with an object in its present state. */
export interface HandlerMatch {
  readonly kind: string;
  readonly id: string;
  readonly source: string;
  readonly matches: boolean;
  readonly exclusion?: Exclusion;
}

/**
 * Matches all handlers of the resource with the object, and explains mismatches. Callbacks of filters are called.
 *
 * @param conceal redacts values of the object that must not be shown.
 */
export function matchHandlers(
  registry: HandlerRegistry,
  origin: CauseOrigin,
  change: DetectedChange,
  conceal: (value: unknown) => unknown,
): readonly HandlerMatch[] {
  const { resource } = origin;
  const changing = new ChangingCause(origin, change);
  const present = new SpawningCause(origin);
  const isFor = ({ selector }: ResourceHandler): boolean => selector?.check(resource) ?? false;
  const match =
    (kind: string, cause: ObjectCause) =>
    (handler: ResourceHandler): HandlerMatch => {
      const exclusion =
        (cause === changing && excludeByReason(handler, change)) || excludeByFilters(handler, cause, conceal);
      const { id, source } = handler;
      return { kind, id, source, matches: !exclusion, ...(exclusion && { exclusion }) };
    };
  return [
    ...registry.allIndexing().filter(isFor).map(match('index', present)),
    ...registry.allWatching().filter(isFor).map(match('event', present)),
    ...registry
      .allSpawning()
      .filter(isFor)
      .map((handler) => match(handler.kind, present)(handler)),
    ...registry
      .allChanging()
      .filter(isFor)
      .map((handler) => match(kindOf(handler), changing)(handler)),
  ];
}

/**
 * Whether any handler of changes is for the object at all, whatever has happened to it; otherwise, operators store nothing on it.
 *
 * @returns `undefined` if a callback of a filter throws.
 */
export function selectsChanges(
  registry: HandlerRegistry,
  origin: CauseOrigin,
  change: DetectedChange,
): boolean | undefined {
  try {
    return anyPrematches(registry.handlersOf(origin.resource).changing, new ChangingCause(origin, change));
  } catch {
    return undefined;
  }
}

function kindOf({ reason, initial, fieldNeedsChange }: ChangingHandler): string {
  if (initial) return 'resume';
  return reason ?? (fieldNeedsChange ? 'field' : 'change');
}

function excludeByReason(handler: ChangingHandler, { reason }: DetectedChange): Exclusion | undefined {
  if (handler.initial) return { filter: 'reason', wanted: 'the start of an operator', actual: reason };
  if (!isHandlingPurpose(reason)) return { filter: 'reason', wanted: handler.reason ?? 'a change', actual: reason };
  if (handler.reason === undefined || handler.reason === reason) return undefined;
  return { filter: 'reason', wanted: handler.reason, actual: reason };
}

/** Evaluates each filter alone, in the order in which operators evaluate them. */
function excludeByFilters(
  handler: ChangingHandler,
  cause: ObjectCause,
  conceal: (value: unknown) => unknown,
): Exclusion | undefined {
  const { id, title, source, invoke, objectSelector, labels = {}, annotations = {}, field, when } = handler;
  const alone: ResourceHandler = { id, title, source, invoke };
  const { body } = cause;
  const fails = (part: Partial<ChangingHandler>): boolean => !matches({ ...alone, ...part }, cause);
  try {
    if (objectSelector && !objectSelector.check(body)) {
      const wanted = [objectSelector.labelSelector, objectSelector.fieldSelector].filter(Boolean).join(' and ');
      return { filter: 'selector', wanted, actual: body.metadata.labels };
    }
    for (const [filter, wanted] of [
      ['labels', labels],
      ['annotations', annotations],
    ] as const) {
      const key = Object.keys(wanted).find((each) => fails({ [filter]: { [each]: wanted[each] } }));
      if (key !== undefined) {
        return { filter, key, wanted: toShownValue(wanted[key]), actual: conceal(body.metadata[filter]?.[key]) };
      }
    }
    if (field) {
      const [key, actual] = [field.join('.'), conceal(resolveField(body, field))];
      if (
        fails({ field, value: handler.value, old: handler.old, new: handler.new, fieldNeedsChange: false }) &&
        fails({ field, value: handler.value })
      ) {
        return { filter: 'field', key, wanted: toShownValue(handler.value ?? PRESENT), actual };
      }
      if (
        fails({
          field,
          value: handler.value,
          old: handler.old,
          new: handler.new,
          fieldNeedsChange: handler.fieldNeedsChange,
        })
      ) {
        const wanted = {
          ...(handler.old !== undefined && { old: toShownValue(handler.old) }),
          ...(handler.new !== undefined && { new: toShownValue(handler.new) }),
        };
        return {
          filter: 'change',
          key,
          wanted: Object.keys(wanted).length > 0 ? wanted : 'a change of the field',
          actual,
        };
      }
    }
    if (when && fails({ when })) return { filter: 'when', wanted: toShownValue(when) };
    return undefined;
  } catch (error) {
    return { filter: 'error', wanted: conceal(errorText(error)) };
  }
}

function toShownValue(wanted: unknown): unknown {
  if (wanted === PRESENT) return 'PRESENT';
  if (wanted === ABSENT) return 'ABSENT';
  return typeof wanted === 'function' ? `the callback ${wanted.name || 'without a name'}` : wanted;
}
