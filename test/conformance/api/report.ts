// Shows the result of a comparison: shortly on the console, wholly in a file.
import { writeFileSync } from 'node:fs';
import type { ComparisonResult, Counts, DifferingAnswer } from './tally.js';

/** The differences that no row of the guide explains. */
export function unexplained({ differing }: ComparisonResult): DifferingAnswer[] {
  return differing
    .map((each) => ({ ...each, differences: each.differences.filter(({ accepted }) => !accepted) }))
    .filter(({ differences }) => differences.length > 0);
}

/** The share of answers to generated requests that have to be equal. */
const EQUAL_SHARE = 0.97;

/**
 * The reasons for which a comparison fails: a directed case differs without an explanation, embedded-kube does what the real server
 * refuses, or too few answers to generated requests are equal. Other differences of generated requests are only shown.
 */
export function failureReasons(result: ComparisonResult): string[] {
  const directed = unexplained(result).filter(({ isRandom }) => !isRandom);
  const lenient = result.differing.filter(({ isLenient }) => isLenient);
  const share = equalShare(result.random);
  return [
    ...new Set(directed.map(({ id }) => `${id} differs, and no row of the guide says why`)),
    ...lenient.map(({ id, request }) => `${id}: the real server refuses ${request}, embedded-kube does not`),
    ...(share < EQUAL_SHARE ? [`of the answers to generated requests, only ${percent(share)} are equal`] : []),
  ];
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
  const { cases, answers, random } = result;
  return [
    ...lines,
    ...(frequent.length > 0 ? ['', 'The most frequent differences:'] : []),
    ...frequent.map(([signature, count]) => `${String(count).padStart(6)}  ${signature}`),
    '',
    `cases: ${cases.equal} equal, ${cases.accepted} as the guide explains, ${cases.different} differ`,
    `answers: ${percent(equalShare(answers))} equal, ${answers.accepted} as the guide explains`,
    `generated requests: ${percent(equalShare(random))} equal`,
    `${answers.equal} equal, ${answers.accepted + answers.different} differ`,
  ];
}

/** Writes all differences to a file. */
export function writeDetails(path: string, { differing }: ComparisonResult): void {
  writeFileSync(path, JSON.stringify(differing, null, 1));
}

function equalShare({ equal, accepted, different }: Counts): number {
  const total = equal + accepted + different;
  return total === 0 ? 1 : equal / total;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function shown(value: unknown): string {
  const text = value === undefined ? '(absent)' : JSON.stringify(value);
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
