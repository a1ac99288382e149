// The differences that the guide explains: the test reads the guide's own table, so that the two cannot disagree.
import { readFileSync } from 'node:fs';

const GUIDE = new URL('../../../libs/embedded-kube/docs/README.md', import.meta.url);

/** A row of the guide's table. */
export interface AcceptedDifference {
  readonly what: string;
  /** Matches `area: title: signature`; the area of random requests is `random`. */
  readonly patterns: readonly RegExp[];
}

/**
 * Reads the table below the heading "Differences": what differs, why, and patterns with `*`, in backticks.
 *
 * @throws Error if a row has no pattern, as in the heading of a second table, or stands there twice
 */
export function readAccepted(text = readFileSync(GUIDE, 'utf8')): AcceptedDifference[] {
  const [, section = ''] = /^## Differences\n([^]*?)(?=^## |(?![^]))/m.exec(text) ?? [];
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  const accepted = rows.slice(2).map((row) => {
    const cells = row.split(/(?<!\\)\|/).slice(1, -1);
    const patterns = [...cells.at(-1)!.matchAll(/`([^`]+)`/g)].map(([, pattern]) =>
      globOf(pattern.replaceAll('\\|', '|')),
    );
    if (patterns.length === 0) throw new Error(`A row of the table has no pattern: ${row}`);
    return { what: cells[0].trim(), patterns };
  });
  const repeated = accepted.find(({ what }, index) => accepted.findIndex((other) => other.what === what) < index);
  if (repeated) throw new Error(`A row stands in the table twice: ${repeated.what}`);
  return accepted;
}

function globOf(pattern: string): RegExp {
  const escaped = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`, 's');
}
