import type { Colors } from './colors.js';
import type {
  Exclusion,
  Explanation,
  Finding,
  HandlerMatch,
  HandlerState,
  StoredProgress,
} from 'nestjs-kopf/inspection';
import { describeSpan } from 'nestjs-kopf/tooling';

/**
 * Writes an explanation for people: first the conclusions, then the facts.
 *
 * @param now the present, in milliseconds since the epoch; times are relative to it.
 */
export function formatExplanation(
  { object, findings, state, finalizers, changes, handlers }: Explanation,
  colors: Colors,
  now: number,
): string {
  const { bold, dim, red, yellow } = colors;
  const { kind, namespace, name, deleting } = object;
  const title = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  const lines = [
    bold(title) + (deleting ? yellow(`, whose deletion was requested ${formatStamp(deleting, now)}`) : ''),
  ];
  for (const finding of findings) {
    const { problem, evidence, remedy } = finding;
    lines.push(`  ${problem ? red('!') : '-'} ${formatFinding(finding, now)}${evidence ? dim(` (${evidence})`) : ''}`);
    if (remedy) lines.push(dim(`      ${remedy}`));
  }
  for (const { prefix, progress } of state) {
    if (progress.length > 0)
      lines.push(
        '',
        bold(`Progress of handlers, by ${prefix}`),
        ...progress.map((each) => formatProgress(each, colors, now)),
      );
  }
  if (changes.length > 0) {
    lines.push('', bold('Changes since it was handled last'));
    lines.push(
      ...changes.map(
        ([operation, path, before, after]) => `  ${operation} ${path.join('.')}: ${show(before)} -> ${show(after)}`,
      ),
    );
  }
  if (finalizers.length > 0) {
    lines.push(
      '',
      bold('Finalizers'),
      ...finalizers.map((each) => `  ${each.name}${each.owner === 'operator' ? ' (of an operator)' : ''}`),
    );
  }
  if (handlers)
    lines.push(
      '',
      bold('Handlers'),
      ...(handlers.length > 0 ? handlers.map((each) => formatMatch(each, colors)) : ['  none for this resource']),
    );
  return lines.join('\n');
}

/** Replaces the time in a sentence: `in 23 s (15:33:59)` for ` at 2026-01-31T15:33:59.000Z`. */
function formatFinding({ text, at }: Finding, now: number): string {
  return at === undefined ? text : text.replace(`at ${new Date(at).toISOString()}`, formatTime(at, now));
}

const DATE = new Intl.DateTimeFormat('en', { year: 'numeric', month: 'short', day: 'numeric' });
const TIME = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });

/** Formats a time relative to the present, with the time of the day, and the date if it is another day: `in 23 s (15:33:59)`. */
function formatTime(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  const relative = seconds >= 0 ? `in ${describeSpan(seconds)}` : `${describeSpan(-seconds)} ago`;
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  return `${relative} (${isToday ? '' : `${DATE.format(at)}, `}${TIME.format(at)})`;
}

function formatStamp(stamp: string, now: number): string {
  const at = Date.parse(stamp);
  return Number.isNaN(at) ? stamp : formatTime(at, now);
}

function formatProgress(
  { id, state, attempts, purpose, due, message }: StoredProgress,
  { green, red, yellow }: Colors,
  now: number,
): string {
  const paint: Record<HandlerState, (text: string) => string> = {
    succeeded: green,
    failed: red,
    waiting: yellow,
    due: yellow,
    begun: yellow,
  };
  const details = [
    `attempts: ${attempts}`,
    purpose && `for: ${purpose}`,
    due && `next: ${formatStamp(due, now)}`,
    message && `last error: ${message}`,
  ];
  return `  ${id}: ${paint[state](state)}; ${details.filter(Boolean).join('; ')}`;
}

function formatMatch({ kind, id, source, matches, exclusion }: HandlerMatch, { green, dim }: Colors): string {
  const what = `${kind} ${id} ${dim(`(${source})`)}`;
  return matches
    ? `  ${green('called')}      ${what}`
    : `  not called  ${what}: ${exclusion ? formatExclusion(exclusion) : ''}`;
}

function formatExclusion({ filter, key, wanted, actual }: Exclusion): string {
  if (filter === 'when') return `${String(wanted)} in when: does not match`;
  if (filter === 'error') return String(wanted);
  return `${filter}${key === undefined ? '' : ` ${key}`} must be ${show(wanted)}, and is ${show(actual)}`;
}

function show(value: unknown): string {
  if (value === undefined || value === null) return 'absent';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
