// Shows the result of a comparison: shortly on the console, wholly in a file.
import { writeFileSync } from 'node:fs';
import type { ComparisonResult, DifferingAnswer } from './tally.js';

/** The differences that no row of the guide explains. */
export function unexplained({ differing }: ComparisonResult): DifferingAnswer[] {
  return differing
    .map((each) => ({ ...each, differences: each.differences.filter(({ accepted }) => !accepted) }))
    .filter(({ differences }) => differences.length > 0);
}

/** Lines for the console: a line a difference, and how often each occurs; the last line counts. */
export function summarise(result: ComparisonResult, limit: number): string[] {
  const found = unexplained(result);
  const lines = found.slice(0, limit).flatMap(({ id, differences }) => {
    return differences
      .slice(0, 3)
      .map((each) => `${id}\n    ${each.signature}\n    - ${shown(each.real)}\n    + ${shown(each.embedded)}`);
  });
  const counts = new Map<string, number>();
  for (const { differences } of found) {
    for (const { signature } of differences) counts.set(signature, (counts.get(signature) ?? 0) + 1);
  }
  const frequent = [...counts].sort(([, a], [, b]) => b - a).slice(0, limit);
  const { cases, answers } = result;
  const total = answers.equal + answers.accepted + answers.different;
  return [
    ...lines,
    ...(frequent.length > 0 ? ['', 'The most frequent differences:'] : []),
    ...frequent.map(([signature, count]) => `${String(count).padStart(6)}  ${signature}`),
    '',
    `cases: ${cases.equal} equal, ${cases.accepted} as the guide explains, ${cases.different} differ`,
    `answers: ${((100 * answers.equal) / Math.max(1, total)).toFixed(1)} % equal, ${answers.accepted} as the guide explains`,
    `${answers.equal} equal, ${answers.accepted + answers.different} differ`,
  ];
}

/** Writes all differences to a file. */
export function writeDetails(path: string, { differing }: ComparisonResult): void {
  writeFileSync(path, JSON.stringify(differing, null, 1));
}

function shown(value: unknown): string {
  const text = value === undefined ? '(absent)' : JSON.stringify(value);
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
