// Reads the files of cases; README.md of this folder describes their form.
import { readdirSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { BUILTIN_RESOURCES } from '../../../libs/embedded-kube/src/kinds/builtin-resources.data.js';
import { fieldChangeCases } from './generated/field.changes.js';
import { schemaExtensionCases } from './generated/schema.extensions.js';
import { changed, parseChanges } from './row.changes.js';

/** One exchange with a server, or something to wait for. */
export interface CaseStep {
  readonly form: 'send' | 'watch' | 'events' | 'until';
  readonly method: string;
  /** May hold `{ns}`, `{id}`, and captured values in braces. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A text is sent as it is. */
  readonly body?: unknown;
  /** Values of the answer, by the names under which later steps use them. */
  readonly captures: Readonly<Record<string, string>>;
  /** The parts of the answer that are compared; all of it by default. `code` is the status code. */
  readonly compares?: readonly string[];
  /** For `events` the number of events, for `until` the condition `path=value`. */
  readonly until?: string;
}

/** A case: steps that have to be answered the same by both servers. */
export interface ConformanceCase {
  /** `area: title`, unique. */
  readonly id: string;
  /** The controllers that run beside both servers. */
  readonly world: 'core' | 'full';
  readonly steps: readonly CaseStep[];
}

const TYPES: Readonly<Record<string, string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** Reads all files of cases, and adds those that are generated. */
export function readCases(): ConformanceCase[] {
  const folder = new URL('./cases/', import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith('.cases'));
  const written = files
    .sort()
    .flatMap((name) => parseCases(name.replace('.cases', ''), readFileSync(new URL(name, folder), 'utf8')));
  return [...written, ...schemaExtensionCases(), ...fieldChangeCases()];
}

/** @throws Error naming the line that is not understood */
export function parseCases(area: string, text: string): ConformanceCase[] {
  const world = /^#! world: full$/m.test(text) ? 'full' : 'core';
  const cases = text
    .split(/^== /m)
    .slice(1)
    .flatMap((section) => {
      const [title, ...lines] = section.split('\n');
      try {
        return parseCase(lines).map(({ suffix, steps }) => ({ id: `${area}: ${title.trim()}${suffix}`, world, steps }));
      } catch (error) {
        throw new Error(`${area}.cases, "${title}": ${(error as Error).message}`, { cause: error });
      }
    });
  const ids = new Set<string>();
  for (const { id } of cases) {
    if (ids.has(id)) throw new Error(`${area}.cases: two cases are called "${id}"`);
    ids.add(id);
  }
  return cases as ConformanceCase[];
}

function parseCase(lines: readonly string[]): { suffix: string; steps: CaseStep[] }[] {
  const steps: CaseStep[] = [];
  const rows: string[] = [];
  for (let index = 0; index < lines.length;) {
    const line = lines[index++];
    if (!line.trim() || line.startsWith('#')) continue;
    const row = /^\s*\| (.*)$/.exec(line);
    if (row) {
      rows.push(row[1].trim());
      continue;
    }
    if (line.startsWith(' ')) throw new Error(`no request stands before: ${line}`);
    const content: string[] = [];
    while (index < lines.length && lines[index].startsWith('  ') && !/^\s*\| /.test(lines[index])) {
      content.push(lines[index++].slice(2));
    }
    steps.push(parseStep(line.trim(), content));
  }
  if (rows.length === 0) return [{ suffix: '', steps }];
  return rows.map((row) => ({ suffix: ` | ${row}`, steps: [...steps.slice(0, -1), withRow(steps.at(-1)!, row)] }));
}

function withRow(step: CaseStep, row: string): CaseStep {
  if (row.startsWith('<<')) return { ...step, body: row.slice(3).replaceAll('⏎', '\n') };
  if (row.startsWith('?')) return { ...step, path: step.path.replace(/\?.*$/, '') + row };
  if (row.startsWith('> ')) return { ...step, headers: { ...step.headers, ...parseHeader(row.slice(2)) } };
  return { ...step, body: changed(step.body, parseChanges(row)) };
}

function parseHeader(text: string): Readonly<Record<string, string>> {
  const [, name, value] = /^([^:]+):(.*)$/.exec(text)!;
  return { [name.trim().toLowerCase()]: value.trim() };
}

function parseStep(line: string, content: readonly string[]): CaseStep {
  const [word, ...rest] = line.split(/\s+/);
  const common = { method: '', path: '', headers: {}, captures: {} };
  if (word === 'EVENTS') return { ...common, form: 'events', until: rest[0] };
  const until = word === 'UNTIL' ? rest.shift() : undefined;
  const method = word === 'UNTIL' ? rest.shift()! : word === 'WATCH' ? 'GET' : word;
  const [path, type] = rest;
  if (!/^[A-Z]+$/.test(method) || !path) throw new Error(`no request: ${line}`);
  const read = parseContent(content);
  return {
    form: word === 'UNTIL' ? 'until' : word === 'WATCH' ? 'watch' : 'send',
    method,
    path: expandPath(word === 'WATCH' ? withWatch(path) : path),
    ...read,
    headers: { ...(type && { 'content-type': TYPES[type] ?? type }), ...read.headers },
    until,
  };
}

type Content = Pick<CaseStep, 'headers' | 'captures' | 'compares' | 'body'>;

function parseContent(content: readonly string[]): Content {
  const headers: Record<string, string> = {};
  const captures: Record<string, string> = {};
  let compares: string[] | undefined;
  const body: string[] = [];
  for (const [index, line] of content.entries()) {
    const [, sign, text] = /^([>=~]) (.*)$/.exec(line) ?? [];
    if (line === '<<') return { headers, captures, compares, body: content.slice(index + 1).join('\n') };
    if (sign === '>') Object.assign(headers, parseHeader(text));
    else if (sign === '=') captures[text.split(/\s+/)[0]] = text.split(/\s+/)[1];
    else if (sign === '~') compares = text.split(/\s+/);
    else body.push(line);
  }
  return { headers, captures, compares, body: body.length > 0 ? load(body.join('\n')) : undefined };
}

/** Makes paths of names of resources: `services/a`, `deployments/a/scale`, `nodes?limit=1`. */
export function expandPath(path: string): string {
  if (path.startsWith('/')) return path;
  const [, plural, rest] = /^([^/?]+)(.*)$/.exec(path)!;
  const resource = BUILTIN_RESOURCES.find(
    ({ plural: name, group }) => name === plural || `${name}.${group}` === plural,
  );
  if (!resource) throw new Error(`no built-in resource is called ${plural}`);
  const { group, version, namespaced } = resource;
  const root = group ? `/apis/${group}/${version}` : `/api/${version}`;
  return `${root}${namespaced ? '/namespaces/{ns}' : ''}/${resource.plural}${rest}`;
}

function withWatch(path: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}watch=true`;
}
