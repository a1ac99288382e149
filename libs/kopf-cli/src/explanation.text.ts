import type { Colors } from './colors.js';
import type { Exclusion, Explanation, HandlerMatch, HandlerState, StoredProgress } from 'nestjs-kopf/inspection';

/** Writes an explanation for people: first the conclusions, then the facts. */
export function formatExplanation(
  { object, findings, state, finalizers, changes, handlers }: Explanation,
  colors: Colors,
): string {
  const { bold, dim, red, yellow } = colors;
  const { kind, namespace, name, deleting } = object;
  const title = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  const lines = [bold(title) + (deleting ? yellow(` is being deleted since ${deleting}`) : '')];
  for (const { text, problem, evidence } of findings) {
    lines.push(`  ${problem ? red('!') : '-'} ${text}${evidence ? dim(` (${evidence})`) : ''}`);
  }
  for (const { prefix, progress } of state) {
    if (progress.length > 0)
      lines.push(
        '',
        bold(`Progress of handlers, by ${prefix}`),
        ...progress.map((each) => formatProgress(each, colors)),
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

function formatProgress(
  { id, state, attempts, purpose, due, message }: StoredProgress,
  { green, red, yellow }: Colors,
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
    due && `next: ${due}`,
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
