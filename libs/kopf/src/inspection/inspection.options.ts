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

/** The rules of the options of `KopfInspectionModule`. */
class InspectionRules implements Record<keyof InspectionOptions, unknown> {
  @Rule(isText) operator: unknown;
  @Rule(must('a list of { resource, fields }', areRedactedFields)) redact: unknown;
  @Rule(isObject) history: unknown;
  @Rule(isText, must('an address with {traceId} in it, of http or https', isTraceUrl)) traceUrl: unknown;
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
  const history: unknown = options.history;
  const limits = typeof history === 'object' && history !== null ? history : {};
  const violations = [
    ...findOptionViolations(InspectionRules, options),
    ...findOptionViolations(HistoryRules, limits, { titleOf: (name) => `history.${name}` }),
  ];
  if (violations.length > 0) throw new KopfOptionsError(violations, 'KopfInspectionModule');
}

function areRedactedFields(value: unknown): boolean {
  try {
    (value as readonly RedactedFields[]).forEach(parseRedactedFields);
    return true;
  } catch {
    return false;
  }
}

function isTraceUrl(value: unknown): boolean {
  return /^https?:\/\//.test(value as string) && (value as string).includes('{traceId}');
}
