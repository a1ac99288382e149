// Counts equal and differing answers.
import { readAccepted } from './accepted.differences.js';
import { type Difference, findDifferences } from './answer.difference.js';
import { type Answer, normalise } from './answer.normaliser.js';
import type { CaseStep } from './case.reader.js';

/** An answer that differs. */
export interface DifferingAnswer {
  readonly id: string;
  readonly request: string;
  readonly body?: unknown;
  readonly differences: readonly (Difference & { readonly accepted?: string })[];
  /** Belongs to a generated request, not to a directed case. */
  readonly isRandom: boolean;
  /** Is true if embedded-kube does what the real server refuses, which no row of the guide excuses. */
  readonly isLenient: boolean;
}

/** Counts cases or answers. */
export interface Counts {
  readonly equal: number;
  /** Different as the guide explains. */
  readonly accepted: number;
  readonly different: number;
}

/** The result of a comparison. */
export interface ComparisonResult {
  readonly cases: Counts;
  readonly answers: Counts;
  /** Those of `answers` that belong to generated requests. */
  readonly random: Counts;
  readonly differing: readonly DifferingAnswer[];
}

/** Two answers to one request. */
export interface AnswerPair {
  readonly id: string;
  readonly step: Pick<CaseStep, 'method' | 'path' | 'body' | 'compares'>;
  readonly real: Answer;
  readonly embedded: Answer;
}

/** The areas of generated requests. */
const GENERATED = new Set(['random', 'history']);

/** Counts what is equal, and keeps what differs. */
export class Tally {
  private readonly accepted = readAccepted();
  private readonly differing: DifferingAnswer[] = [];
  private readonly cases = { equal: 0, accepted: 0, different: 0 };
  private readonly answers = { equal: 0, accepted: 0, different: 0 };
  private readonly random = { equal: 0, accepted: 0, different: 0 };

  /** Adds the answers of a case: it differs if one of them does. */
  addCase(pairs: readonly AnswerPair[]): void {
    const outcomes = pairs.map((pair) => this.addAnswer(pair));
    const worst = (['different', 'accepted', 'equal'] as const).find((each) => outcomes.includes(each)) ?? 'equal';
    this.cases[worst]++;
  }

  /** Adds the answers to one request. */
  addAnswer({ id, step, real, embedded }: AnswerPair): 'equal' | 'accepted' | 'different' {
    const area = id.slice(0, id.indexOf(':'));
    const found = findDifferences(step, normalise(real), normalise(embedded)).map((each) => {
      const names = [`${area}: ${each.signature}`, `${id}: ${each.signature}`];
      const row = this.accepted.find(({ patterns }) => patterns.some((glob) => names.some((name) => glob.test(name))));
      return { ...each, ...(row && { accepted: row.what }) };
    });
    const outcome = found.length === 0 ? 'equal' : found.every((each) => each.accepted) ? 'accepted' : 'different';
    this.answers[outcome]++;
    const isRandom = GENERATED.has(area);
    if (isRandom) this.random[outcome]++;
    if (found.length > 0) {
      const request = `${step.method} ${step.path}`;
      const isLenient = real.code >= 400 && embedded.code < 400;
      this.differing.push({ id, request, body: step.body, differences: found, isRandom, isLenient });
    }
    return outcome;
  }

  result(): ComparisonResult {
    return { cases: this.cases, answers: this.answers, random: this.random, differing: this.differing };
  }
}
