import { KopfOptionsError } from '../common/kopf.errors.js';
import { parseRedactedFields, type RedactedFields } from '../resources/redactor.js';
import {
  findOptionViolations,
  isCount,
  isObject,
  isSeconds,
  isText,
  must,
  oneOf,
  Rule,
} from '../settings/option.validation.js';
import type { InspectionOptions } from './operator/inspect.operator.js';
import type { InspectionHistory } from './operator/inspected.services.js';

/** Requires fields whose values are not shown, as the option `redact` names them. */
export const isRedaction = must('a list of { resource, fields }', areRedactedFields);
/** Requires the address of a trace. */
export const isTraceUrl = must('an address with {traceId} in it, of http or https', leadsToTraces);

/** The rules of the options of `KopfInspectionModule`. */
class InspectionRules implements Record<keyof InspectionOptions, unknown> {
  @Rule(isText) operator: unknown;
  @Rule(isRedaction) redact: unknown;
  @Rule(isObject) history: unknown;
  @Rule(isText, isTraceUrl) traceUrl: unknown;
}

class HistoryRules implements Record<keyof InspectionHistory, unknown> {
  @Rule(oneOf('viewed', 'always')) keep: unknown;
  @Rule(isCount) perObject: unknown;
  @Rule(isCount) objects: unknown;
  @Rule(isSeconds) seconds: unknown;
}

/**
 * Checks the options of `KopfInspectionModule`.
 *
 * @throws KopfOptionsError that names every bad option.
 */
export function checkInspectionOptions(options: InspectionOptions): void {
  const violations = [...findOptionViolations(InspectionRules, options), ...findHistoryViolations(options.history)];
  if (violations.length > 0) throw new KopfOptionsError(violations, 'KopfInspectionModule');
}

/** Finds what is wrong with the members of the option `history`. A value that is no object has none. */
export function findHistoryViolations(history: unknown): readonly string[] {
  const limits = typeof history === 'object' && history !== null ? history : {};
  return findOptionViolations(HistoryRules, limits, { titleOf: (name) => `history.${name}` });
}

function areRedactedFields(value: unknown): boolean {
  try {
    (value as readonly RedactedFields[]).forEach(parseRedactedFields);
    return true;
  } catch {
    return false;
  }
}

function leadsToTraces(value: unknown): boolean {
  return /^https?:\/\//.test(value as string) && (value as string).includes('{traceId}');
}
