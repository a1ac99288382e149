import { describePlan, type SimulationPlan } from '../simulation.plan.js';
import type { OperatorEvent, OperatorFieldDifference } from 'nestjs-kopf/inspection';
import type { SimulationFinding, SimulationResult } from '../simulation.result.js';

/** The most lines of a timeline that are printed at its beginning, and at its end. */
const [FIRST_LINES, LAST_LINES] = [40, 15];
/** The most differences of a change that are printed, and the longest values. */
const [FIELDS_LIMIT, VALUE_LIMIT] = [4, 48];

/** The most faults without effect that are printed. */
const UNMET_LIMIT = 5;

/** Prints a report for people. */
export function formatReport({ findings, plans, seed, coverage, milliseconds, file }: SimulationResult): string {
  const points = Object.entries(coverage.points).map(([kind, { tried, total }]) => `${kind} ${tried} of ${total}`);
  const faults = Object.entries(coverage.faults).map(([kind, count]) => `${kind} ${count}`);
  const lines = [
    `${countOf(plans, 'plan')} of seed ${seed} in ${(milliseconds / 1000).toFixed(1)} s, ${findings.length ? countOf(findings.length, 'finding') : 'no findings'}`,
    `faults: ${faults.join(', ') || 'none'}; crashed after ${coverage.crashedWrites} of ${coverage.writes} writes`,
    `points tried: ${points.join(', ') || 'none'}`,
  ];
  if (coverage.unmet.length > 0) lines.push(`matched nothing: ${listSome(coverage.unmet)}`);
  for (const { property, by, runs } of coverage.excused) {
    lines.push(`excused: ${property}, by ${by} in ${countOf(runs, 'run')}`);
  }
  for (const [name, isReached] of Object.entries(coverage.sometimes)) {
    lines.push(`sometimes ${name}: ${isReached ? 'reached' : 'never reached'}`);
  }
  return [...lines, ...findings.map((finding, index) => formatFinding(finding, index + 1, file))].join('\n');
}

function formatFinding(finding: SimulationFinding, number: number, file?: string): string {
  const { check, message, others, plan, plans, operations, timeline } = finding;
  return [
    `\nFinding ${number}: ${check}: ${message}`,
    ...others.map((other) => `  also ${other.check}: ${other.message}`),
    `  ${describePlan(plan)}`,
    `  ${plans > 0 ? `found by ${plans} of the plans; ` : ''}the smallest has ${countOf(plan.faults.length, 'fault')} and ${countOf(operations, 'operation')}:`,
    ...shorten(formatTimeline(timeline).split('\n')),
    `  to run it again: ${describeReplay(plan, file)}`,
  ].join('\n');
}

/** The way to run a plan again: by a command if the simulation is in a separate file, and by an option otherwise. */
export function describeReplay(plan: SimulationPlan, file?: string): string {
  const text = JSON.stringify(plan);
  return file === undefined
    ? `plans: [${text}]`
    : `npx -p nestjs-kopf-cli kopf simulate ${file} --replay '${text.replaceAll("'", `'\\''`)}'`;
}

/** Prints an event log as a table, with the fields that differ below each change. */
export function formatTimeline(events: readonly OperatorEvent[]): string {
  const width = Math.max(0, ...events.map(({ actor }) => actor.name.length));
  const lines = events.flatMap(({ time, actor, text, change }) => [
    `${`${time.toFixed(3)} s`.padStart(12)}  ${actor.name.padEnd(width)}  ${text}`,
    ...formatDifferences(change?.type === 'modified' ? change.fields : []).map(
      (line) => `${' '.repeat(16 + width)}  ${line}`,
    ),
  ]);
  return lines.join('\n');
}

/** The path of a field as messages have it: `.metadata.labels[example.com/a]`. */
export function formatPath(path: readonly string[]): string {
  return path.map((name) => (/^[\w-]+$/.test(name) ? `.${name}` : `[${name}]`)).join('');
}

function formatDifferences(fields: readonly OperatorFieldDifference[]): readonly string[] {
  const lines = fields
    .slice(0, FIELDS_LIMIT)
    .map(({ path, ...values }) => `${formatPath(path)}: ${formatValue(values.old)} → ${formatValue(values.new)}`);
  const left = fields.length - lines.length;
  return left > 0 ? [...lines, `… ${left} more fields`] : lines;
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return 'absent';
  const text = JSON.stringify(value);
  return text.length > VALUE_LIMIT ? `${text.slice(0, VALUE_LIMIT)}…` : text;
}

function listSome(texts: readonly string[]): string {
  const left = texts.length - UNMET_LIMIT;
  return `${texts.slice(0, UNMET_LIMIT).join('; ')}${left > 0 ? `; and ${countOf(left, 'other fault')}` : ''}`;
}

function countOf(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function shorten(lines: readonly string[]): readonly string[] {
  const left = lines.length - FIRST_LINES - LAST_LINES;
  if (left <= 1) return lines;
  return [...lines.slice(0, FIRST_LINES), `  … ${left} lines …`, ...lines.slice(-LAST_LINES)];
}
