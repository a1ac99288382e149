/** One line of a scrape. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly exemplar?: { readonly labels: Readonly<Record<string, string>>; readonly value: number };
}

/** All samples of one metric. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y;
const NUMBER = '(?:[+-]?(?:\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|Inf)|NaN)';
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: [''],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
};

/**
 * Parses the text format of Prometheus, or OpenMetrics, strictly: whatever is not allowed is an error.
 *
 * @throws Error that quotes the wrong line.
 */
export function parseExposition(text: string, format: 'prometheus' | 'openmetrics' = 'prometheus'): readonly Family[] {
  if (!text.endsWith('\n')) throw new Error('The last line has no end.');
  const lines = text.slice(0, -1).split('\n');
  if (format === 'openmetrics' && lines.pop() !== '# EOF') throw new Error('The last line is not # EOF.');
  const families: Family[] = [];
  let samples: Sample[] = [];
  let help: { name: string; text: string } | undefined;
  for (const line of lines) {
    const described = new RegExp(`^# HELP (${NAME}) (.+)$`).exec(line);
    const typed = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary)$`).exec(line);
    if (described) help = { name: described[1], text: described[2] };
    else if (typed) {
      if (help?.name !== typed[1]) throw new Error(`The type has no help before it: ${line}`);
      if (families.some(({ name }) => name === typed[1])) throw new Error(`The metric is there twice: ${line}`);
      samples = [];
      families.push({ name: typed[1], help: help.text, type: typed[2], samples });
    } else if (line.startsWith('#')) throw new Error(`The comment is unknown: ${line}`);
    else if (line !== '' || format === 'openmetrics') samples.push(parseSample(line, families.at(-1), format));
  }
  for (const family of families) checkFamily(family);
  return families;
}

function parseSample(line: string, family: Family | undefined, format: string): Sample {
  const pattern = new RegExp(`^(${NAME})(?:\\{(.*?)\\})? (${NUMBER})(?: # \\{(.*)\\} (${NUMBER}) (${NUMBER}))?$`);
  const match = pattern.exec(line);
  if (!match || !family) throw new Error(`The line is no sample of a metric: ${line}`);
  const [, name, labels = '', value, exemplar, exemplarValue] = match;
  const suffixes = format === 'openmetrics' && family.type === 'counter' ? ['_total'] : (SUFFIXES[family.type] ?? ['']);
  if (!suffixes.some((suffix) => name === family.name + suffix))
    throw new Error(`The sample has a wrong name: ${line}`);
  if (exemplar !== undefined && !/_bucket$|_total$/.test(name)) throw new Error(`The exemplar is not allowed: ${line}`);
  return {
    name,
    labels: parseLabels(labels, line),
    value: parseValue(value),
    ...(exemplar !== undefined && {
      exemplar: { labels: parseLabels(exemplar, line), value: parseValue(exemplarValue) },
    }),
  };
}

function parseLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const match = LABEL.exec(text);
    if (!match) throw new Error(`The labels are wrong: ${line}`);
    const [, name, value] = match;
    if (name in labels) throw new Error(`The label ${name} is there twice: ${line}`);
    labels[name] = value.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
  }
  return labels;
}

function parseValue(text: string): number {
  if (text.endsWith('Inf')) return text.startsWith('-') ? -Infinity : Infinity;
  return Number(text);
}

function checkFamily({ name, type, samples }: Family): void {
  const keys = samples.map((sample) => `${sample.name}${JSON.stringify(Object.entries(sample.labels).sort())}`);
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice) throw new Error(`The series is there twice: ${twice}`);
  if (type === 'counter' && samples.some(({ value }) => !(value >= 0))) throw new Error(`${name} counts downwards.`);
  if (type !== 'histogram') return;
  for (const { labels, value: count } of samples.filter((sample) => sample.name === `${name}_count`)) {
    const isSame = (sample: Sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value);
    const buckets = samples.filter((sample) => sample.name === `${name}_bucket` && isSame(sample));
    const bounds = buckets.map((sample) => parseValue(sample.labels.le.replace('+', '')));
    if (bounds.at(-1) !== Infinity || buckets.at(-1)?.value !== count) throw new Error(`${name} has no bucket of all.`);
    if (bounds.some((bound, index) => index > 0 && bound <= bounds[index - 1]))
      throw new Error(`${name} is unordered.`);
    if (buckets.some(({ value }, index) => index > 0 && value < buckets[index - 1].value)) {
      throw new Error(`${name} has buckets that do not add up.`);
    }
  }
}
