import type { BugDetection, CaseDetection } from './detection.js';
import type { RegressionCase, BugPattern } from './regression.case.js';

/** The patterns in the words of the guide, in its order. */
const PATTERNS: Readonly<Record<BugPattern, string>> = {
  intermediate: 'Sieve: intermediate states',
  stale: 'Sieve: stale states',
  unobserved: 'Sieve: unobserved states',
  undesired: 'Acto: undesired state',
  error: 'Acto: error without recovery',
  outage: 'Acto: outage of the operator',
  interference: 'Interference of others',
  kopf: 'Weaknesses that Kopf documents',
};

/** A row of a table, by its cells. */
export type TableRow = readonly string[];

/** The rows of all bugs in the README: each with its public description, the faults of its smallest plan, and the check that finds it. */
export function listBugs(cases: readonly RegressionCase[]): readonly TableRow[] {
  return cases.map((regression) => {
    const { name, seenIn = '', pattern, check } = regression;
    return [capitalized(name), PATTERNS[pattern], seenIn, faultsOf(regression), `\`${check}\``];
  });
}

/** The rows of all patterns in the guide. */
export function listPatterns(cases: readonly RegressionCase[]): readonly TableRow[] {
  return Object.entries(PATTERNS).map(([pattern, words]) => {
    const found = cases.filter((regression) => regression.pattern === pattern);
    const checks = found.map(({ check }) => `\`${check}\``);
    return [words, String(found.length), unique(found.map(faultsOf)), unique(checks)];
  });
}

/** The rows of all patterns in the guide with how soon their bugs are found, and with the false alarms of the fixed variants. */
export function listDetection(
  cases: readonly RegressionCase[],
  detection: readonly CaseDetection[],
): readonly TableRow[] {
  return Object.entries(PATTERNS).map(([pattern, words]) => {
    const names = new Set(cases.filter((regression) => regression.pattern === pattern).map(({ name }) => name));
    const measured = detection.filter(({ name }) => names.has(name));
    const [exhaustive, random] = [measured.flatMap(plansOf('exhaustive')), measured.flatMap(plansOf('random'))];
    const smallest = [...exhaustive, ...random];
    const plans = measured.reduce((sum, { fixedPlans }) => sum + fixedPlans, 0);
    const alarms = measured.reduce((sum, each) => sum + each.alarms, 0);
    return [
      words,
      spreadOf(exhaustive.map((found) => found.plans)),
      spreadOf(random.map((found) => found.plans)),
      spreadOf(smallest.map(({ faults }) => faults)),
      spreadOf(smallest.map(({ operations }) => operations)),
      `${alarms} in ${plans.toLocaleString('en')} plans`,
    ];
  });
}

/** Reads the rows of the table below a heading of a page. */
export function readTable(page: string, heading: string): readonly TableRow[] {
  const [, section = ''] = page.split(`${heading}\n`);
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section) ?? [];
  const rows = table.trimEnd().split('\n').slice(2);
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

function plansOf(kind: 'exhaustive' | 'random'): (detection: CaseDetection) => readonly BugDetection[] {
  return ({ [kind]: found }) => (found ? [found] : []);
}

/** The median and the most of some numbers, where they differ. */
function spreadOf(numbers: readonly number[]): string {
  const sorted = numbers.toSorted((one, other) => one - other);
  const [median, most] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  return median === most ? String(median) : `${median}, at most ${most}`;
}

function faultsOf({ faults, states }: RegressionCase): string {
  if (states) return '`changes`';
  return faults.length === 0 ? 'the workload alone' : faults.map(({ kind }) => `\`${kind}\``).join(', ');
}

function unique(texts: readonly string[]): string {
  return [...new Set(texts)].toSorted().join(', ');
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
