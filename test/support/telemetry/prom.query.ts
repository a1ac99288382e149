import { parseExposition, type Sample } from './exposition.js';

/** A value with its labels, as an expression has it. */
export interface InstantValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Matcher {
  readonly label: string;
  readonly operator: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

/** The time for which Prometheus uses the last sample of a series, in seconds. */
const STALENESS = 300;

const COMPARISONS: Readonly<Record<string, (one: number, other: number) => boolean>> = {
  '>=': (one, other) => one >= other,
  '<=': (one, other) => one <= other,
  '==': (one, other) => one === other,
  '!=': (one, other) => one !== other,
  '>': (one, other) => one > other,
  '<': (one, other) => one < other,
};

const AGGREGATIONS: Readonly<Record<string, (values: readonly number[]) => number>> = {
  sum: (values) => values.reduce((sum, value) => sum + value, 0),
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
  count: (values) => values.length,
};

/**
 * Keeps scrapes at the times of a clock, and evaluates the part of PromQL on them that the rules of alerts use:
 *
 * ```
 * expression  = operand [comparison number]
 * operand     = selector | increase(selector[5m]) | rate(selector[5m]) | sum|max|min|count [by (labels)] (expression)
 * selector    = name [{label="value", other=~"pattern"}]
 * ```
 *
 * As in Prometheus, the increase of a series that has just come into being is 0, and resets of counters are noticed. Other than there,
 * nothing is extrapolated to the ends of the range.
 */
export class ScrapeHistory {
  private readonly scrapes: { readonly at: number; readonly samples: readonly Sample[] }[] = [];

  /** @param at seconds of whatever clock. */
  add(at: number, text: string): void {
    this.scrapes.push({ at, samples: parseExposition(text).flatMap(({ samples }) => samples) });
  }

  /** The times of the scrapes, in seconds. */
  get times(): readonly number[] {
    return this.scrapes.map(({ at }) => at);
  }

  /** @throws Error if the expression is not of the part of PromQL that is known here. */
  evaluate(expression: string, at: number): readonly InstantValue[] {
    return new Evaluation(expression, at, this.scrapes).run();
  }

  /**
   * Checks whether an alert fires: its expression has had a result at all scrapes of the last seconds.
   *
   * @param pending seconds, the `for` of the rule.
   */
  fires(expression: string, pending: number, at: number): boolean {
    const recent = this.times.filter((time) => time <= at && time >= at - pending);
    const isCovered = this.times.some((time) => time <= at - pending) || pending === 0;
    return isCovered && recent.length > 0 && recent.every((time) => this.evaluate(expression, time).length > 0);
  }
}

/** Reads an expression from left to right, and evaluates it at one time. */
class Evaluation {
  private rest: string;

  constructor(
    private readonly expression: string,
    private readonly at: number,
    private readonly scrapes: readonly { readonly at: number; readonly samples: readonly Sample[] }[],
  ) {
    this.rest = expression.trim();
  }

  run(): readonly InstantValue[] {
    const result = this.comparison();
    if (this.rest !== '') this.fail();
    return result;
  }

  private comparison(): readonly InstantValue[] {
    const operand = this.operand();
    const operator = this.take(/^(>=|<=|==|!=|>|<)/);
    if (operator === undefined) return operand;
    const limit = Number(this.take(/^-?\d+(?:\.\d+)?/) ?? this.fail());
    return operand.filter(({ value }) => COMPARISONS[operator](value, limit));
  }

  private operand(): readonly InstantValue[] {
    const aggregation = this.take(/^(sum|max|min|count)(?=\s*(\(|by\b))/);
    if (aggregation) return this.aggregate(AGGREGATIONS[aggregation]);
    const change = this.take(/^(increase|rate)(?=\s*\()/);
    if (change) {
      this.expect('(');
      const increases = this.range();
      this.expect(')');
      return change === 'increase'
        ? increases
        : increases.map(({ labels, value, seconds }) => ({ labels, value: value / seconds }));
    }
    return this.instant();
  }

  private aggregate(combine: (values: readonly number[]) => number): readonly InstantValue[] {
    const by = this.take(/^by\s*\(([^)]*)\)/);
    const kept = by ? (/\(([^)]*)\)/.exec(by)?.[1] ?? '').split(',').map((label) => label.trim()) : [];
    this.expect('(');
    const values = this.comparison();
    this.expect(')');
    const groups = new Map<string, { labels: Record<string, string>; values: number[] }>();
    for (const { labels, value } of values) {
      const own = Object.fromEntries(kept.filter((label) => label in labels).map((label) => [label, labels[label]]));
      const key = JSON.stringify(own);
      const group = groups.get(key) ?? { labels: own, values: [] };
      group.values.push(value);
      groups.set(key, group);
    }
    return [...groups.values()].map((group) => ({ labels: group.labels, value: combine(group.values) }));
  }

  private instant(): readonly InstantValue[] {
    const { name, matchers } = this.selector();
    const scrape = this.scrapes.findLast(({ at }) => at <= this.at && at > this.at - STALENESS);
    return (scrape?.samples ?? [])
      .filter((sample) => sample.name === name && matches(sample, matchers))
      .map(({ labels, value }) => ({ labels, value }));
  }

  private range(): readonly (InstantValue & { readonly seconds: number })[] {
    const { name, matchers } = this.selector();
    const range = /^\[(\d+)([smh])\]$/.exec(this.take(/^\[\d+[smh]\]/) ?? this.fail())!;
    const seconds = Number(range[1]) * { s: 1, m: 60, h: 3600 }[range[2] as 's' | 'm' | 'h'];
    const series = new Map<string, { labels: Sample['labels']; values: number[] }>();
    for (const { at, samples } of this.scrapes) {
      if (at > this.at || at <= this.at - seconds) continue;
      for (const sample of samples) {
        if (sample.name !== name || !matches(sample, matchers)) continue;
        const key = JSON.stringify(Object.entries(sample.labels).sort());
        const one = series.get(key) ?? { labels: sample.labels, values: [] };
        one.values.push(sample.value);
        series.set(key, one);
      }
    }
    return [...series.values()]
      .filter(({ values }) => values.length > 1)
      .map(({ labels, values }) => ({ labels, value: increaseOf(values), seconds }));
  }

  private selector(): { name: string; matchers: readonly Matcher[] } {
    const name = this.take(/^[a-zA-Z_:][a-zA-Z0-9_:]*/) ?? this.fail();
    const inner = this.take(/^\{[^}]*\}/);
    const matchers = [...(inner ?? '').matchAll(/([a-zA-Z_]\w*)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(
      ([, label, operator, value]) => ({ label, operator: operator as Matcher['operator'], value }),
    );
    if (inner && inner.replaceAll(/([a-zA-Z_]\w*)\s*(=~|!~|!=|=)\s*"([^"]*)"|[{},\s]/g, '') !== '') this.fail();
    return { name, matchers };
  }

  private take(pattern: RegExp): string | undefined {
    const match = pattern.exec(this.rest);
    if (!match) return undefined;
    this.rest = this.rest.slice(match[0].length).trimStart();
    return match[0];
  }

  private expect(text: string): void {
    if (!this.rest.startsWith(text)) this.fail();
    this.rest = this.rest.slice(text.length).trimStart();
  }

  private fail(): never {
    throw new Error(`The expression is not understood at '${this.rest}': ${this.expression}`);
  }
}

function matches({ labels }: Sample, matchers: readonly Matcher[]): boolean {
  return matchers.every(({ label, operator, value }) => {
    const own = labels[label] ?? '';
    const isMatching = operator.includes('~') ? new RegExp(`^(?:${value})$`).test(own) : own === value;
    return operator.startsWith('!') ? !isMatching : isMatching;
  });
}

/** Computes the increase of a counter, which has begun again at zero if a value is lower than the one before. */
function increaseOf(values: readonly number[]): number {
  return values.reduce((sum, value, index) => {
    if (index === 0) return 0;
    const before = values[index - 1];
    return sum + (value < before ? value : value - before);
  }, 0);
}
