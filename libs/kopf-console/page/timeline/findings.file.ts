import type { OperatorEvent } from '../api/api.types.js';

/** One event log of a file, with what was found by it. */
export interface LoggedFinding {
  readonly title: string;
  readonly events: readonly OperatorEvent[];
}

/**
 * Reads event logs from a file: a report of `nestjs-kopf-simulation` as JSON, one finding of it, or a list of events.
 *
 * @throws Error with a readable message, if the text is none of these.
 */
export function readFindings(text: string): readonly LoggedFinding[] {
  const content = parse(text);
  if (isEvents(content)) return [{ title: 'Events', events: content }];
  const isReport = isRecord(content) && Array.isArray(content.findings);
  const candidates: readonly unknown[] = isReport ? (content.findings as readonly unknown[]) : [content];
  const findings = candidates.flatMap((each): LoggedFinding[] => {
    if (!isRecord(each) || !isEvents(each.timeline)) return [];
    const words = [each.check, each.message].filter((word) => typeof word === 'string');
    return [{ title: words.join(': ') || 'Finding', events: each.timeline }];
  });
  if (findings.length > 0) return findings;
  if (isReport) throw new Error('The report has no findings: nothing went wrong in the simulation.');
  throw new Error('The file holds no event log. `kopf simulate --json report.json` writes one.');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('The file is not JSON.');
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEvents(value: unknown): value is readonly OperatorEvent[] {
  return Array.isArray(value) && value.length > 0 && value.every(isEvent);
}

function isEvent(value: unknown): boolean {
  if (!isRecord(value) || !isRecord(value.actor)) return false;
  return typeof value.number === 'number' && typeof value.time === 'number' && typeof value.text === 'string';
}
