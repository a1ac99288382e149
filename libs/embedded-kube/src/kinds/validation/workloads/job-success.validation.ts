import { type FieldReport, textOf, type Values } from '../field.report.js';
import { countIndexes, indexProblem } from './job-index.rules.js';

const MOST_RULES = 20;
/** In bytes. */
const LONGEST_INDEXES = 64 * 1024;

/** Rules by which an indexed job has succeeded before all of its indexes have. */
export function validateSuccessPolicy(report: FieldReport, path: string, rules: readonly Values[], job: Values): void {
  if (rules.length === 0) {
    report.required(path, 'at least one rules must be specified when the successPolicy is specified');
  }
  if (rules.length > MOST_RULES) report.tooMany(path, rules.length, MOST_RULES);
  const completions = Number(job['completions'] ?? 0);
  for (const [index, rule] of rules.entries()) validateRule(report, `${path}[${index}]`, rule, completions);
}

function validateRule(
  report: FieldReport,
  path: string,
  { succeededCount, succeededIndexes }: Values,
  completions: number,
): void {
  if (succeededCount === undefined && succeededIndexes === undefined) {
    report.required(path, 'at least one of succeededCount or succeededIndexes must be specified');
  }
  const indexes = textOf(succeededIndexes);
  const problem = indexProblem(indexes, completions);
  const total = problem ? 0 : countIndexes(indexes);
  if (Buffer.byteLength(indexes) > LONGEST_INDEXES) report.tooLong(`${path}.succeededIndexes`, LONGEST_INDEXES);
  if (problem) {
    report.invalid(`${path}.succeededIndexes`, succeededIndexes, `error parsing succeededIndexes: ${problem}`);
  }
  if (succeededCount === undefined) return;
  const at = `${path}.succeededCount`;
  report.nonNegative(at, succeededCount);
  const limit = (most: number, what: string): void => {
    if (Number(succeededCount) <= most) return;
    report.invalid(at, succeededCount, `must be less than or equal to ${most} (the number of ${what})`);
  };
  limit(completions, 'specified completions');
  if (succeededIndexes !== undefined) limit(total, 'indexes in the specified succeededIndexes field');
}
