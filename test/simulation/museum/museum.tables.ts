import type { Exhibit, ExhibitPattern } from './exhibit.js';

/** The patterns in the words of the guide, in its order. */
const PATTERNS: Readonly<Record<ExhibitPattern, string>> = {
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

/** Lists the bugs as the guide does: each with its public description, the faults of its smallest plan, and the check that finds it. */
export function listBugs(exhibits: readonly Exhibit[]): readonly TableRow[] {
  return exhibits.map((exhibit) => {
    const { name, seenIn = '', pattern, check } = exhibit;
    return [capitalized(name), PATTERNS[pattern], seenIn, faultsOf(exhibit), `\`${check}\``];
  });
}

/** Sums up the bugs of each pattern as the guide does. */
export function listPatterns(exhibits: readonly Exhibit[]): readonly TableRow[] {
  return Object.entries(PATTERNS).map(([pattern, words]) => {
    const found = exhibits.filter((exhibit) => exhibit.pattern === pattern);
    const checks = found.map(({ check }) => `\`${check}\``);
    return [words, String(found.length), unique(found.map(faultsOf)), unique(checks)];
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

function faultsOf({ faults }: Exhibit): string {
  return faults.length === 0 ? 'the workload alone' : faults.map(({ kind }) => `\`${kind}\``).join(', ');
}

function unique(texts: readonly string[]): string {
  return [...new Set(texts)].toSorted().join(', ');
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
