// Random values, texts and corruptions of texts, the same for the same seed.
import type { RandomChoices } from '../../support/generators/random.choices.js';

/** Names that mean something to JavaScript, to paths, to YAML, or to Kubernetes. */
// prettier-ignore
const NAMES = [
  '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'then', 'length', 'toJSON', 'metadata', 'spec',
  'status', 'name', 'namespace', 'labels', 'annotations', 'items', 'kind', 'apiVersion', 'data', 'finalizers', 'ownerReferences',
  'managedFields', 'f:metadata', 'k:{"a":1}', 'v:1', '.', 'resourceVersion', 'uid', '$patch', '$retainKeys', '$setElementOrder/a',
  '$deleteFromPrimitiveList/a', '<<', '*a', '&a', '!!js/function', '', ' ', '/', '~', '~0', '~1', '-', '0', '-1', '..', '%', 'a/b',
  'a.b/c', 'A', 'x'.repeat(300), '\u0000', 'ä', '💥',
];
const NUMBERS = [0, -0, 1, -1, 1.5, 2 ** 31, -(2 ** 31), 2 ** 32, 2 ** 53, 2 ** 63, -(2 ** 63), 1e21, 1e308, 5e-324];
// prettier-ignore
const TEXTS = [
  '', ' ', '\u0000', '\ud800', '\ufeff', '\u2028', 'a\nb', '\t', '{', '}', '[', '"', '\\', '%', '%00', '%zz', '$(A)', '{{', '1', '-1',
  '1e9999', '0x10', '1Gi', '1e999Gi', '999999999999999999999999Gi', '1h', '100000000h', 'NaN', 'Infinity', 'null', 'true',
  '2024-02-30T00:00:00Z', '9999-12-31T23:59:60Z', '::1/129', '10.0.0.0/33', 'http://[', '* * * * * *', 'x'.repeat(254), 'x'.repeat(5000),
  'a'.repeat(50_000), `${'a,'.repeat(2000)}a`, 'TZ=Nowhere/Land @every 1s',
];
// prettier-ignore
const TOKENS = [
  '{', '}', '[', ']', '"', ':', ',', '\\', '\\u0000', '\\ud800', '\\x', 'null', 'true', '1e999', '-', '0', '.', '/*', '\u0000', '\u0001',
  '\u007f', '\u00ff', '\ufffd', '\ud83d', '\n', '\r\n', '\t', '*a', '&a', '<<:', '!!binary', '|', '---\n',
];

/** A name of a field, usual or not. */
export function randomName(choices: RandomChoices): string {
  return choices.pick(NAMES);
}

/** Any value that JSON can hold, nested up to five levels. */
export function randomValue(choices: RandomChoices, depth = 0): unknown {
  const leaf = choices.withProbability(0.2 + depth * 0.15);
  return choices.weighted<unknown>([
    [2, () => choices.pick(TEXTS)],
    [2, () => choices.pick(NUMBERS)],
    [1, () => choices.pick([null, true, false])],
    [1, () => randomName(choices)],
    [leaf ? 0 : 3, () => choices.several(0, 4, () => randomValue(choices, depth + 1))],
    [leaf ? 0 : 5, () => randomObject(choices, depth)],
  ]);
}

function randomObject(choices: RandomChoices, depth: number): object {
  const entries = choices.several(0, 4, () => [randomName(choices), randomValue(choices, depth + 1)] as const);
  // Own properties, also for the name by which a prototype is set.
  return Object.fromEntries(entries);
}

/** A text that is nested so deeply, or repeats itself so often, that a careless reader runs out of stack, memory or time. */
export function hugeText(choices: RandomChoices): string {
  return choices.weighted<string>([
    [2, () => '['.repeat(choices.pick([900, 1100, 20_000, 200_000]))],
    [2, () => `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`],
    [2, () => `{"metadata":{"name":"deep"},"spec":${'{"a":'.repeat(990)}1${'}'.repeat(990)}}`],
    [1, () => `{"data":{${Array.from({ length: 20_000 }, (_, index) => `"k${index}":"v"`).join(',')}}}`],
    [1, () => `{${'"a":1,'.repeat(50_000)}"b":2}`],
    [1, () => `- - `.repeat(5000)],
    [1, () => yamlBomb()],
    [1, () => `a: ${'"\\u0041'.repeat(3000)}`],
    [1, () => `{"spec":${'9'.repeat(100_000)}}`],
    [1, () => `? ${'? '.repeat(2000)}`],
    [1, () => `a: ${' '.repeat(100_000)}b`],
    [1, () => `{"metadata":{"labels":{${Array.from({ length: 3000 }, (_, index) => `"l${index}":"v"`).join(',')}}}}`],
  ]);
}

/** Nine anchors, each of which is used nine times by the next one. */
function yamlBomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 9; level += 1) {
    lines.push(`a${level}: &a${level} [${Array.from({ length: 9 }, () => `*a${level - 1}`).join(', ')}]`);
  }
  return lines.join('\n');
}

/** A text with some characters changed, removed, repeated or inserted. */
export function corrupt(text: string, choices: RandomChoices): string {
  let result = text;
  for (const _ of choices.several(1, 4, () => 0)) {
    const at = choices.between(0, result.length);
    const length = choices.pick([1, 1, 2, 10, 100]);
    result = choices.weighted<string>([
      [3, () => result.slice(0, at) + choices.pick(TOKENS) + result.slice(at)],
      [2, () => result.slice(0, at) + choices.pick(TOKENS) + result.slice(at + length)],
      [2, () => result.slice(0, at) + result.slice(at + length)],
      [1, () => result.slice(0, at)],
      [1, () => result.slice(0, at) + result.slice(at, at + length).repeat(3) + result.slice(at)],
    ]);
  }
  return result;
}

/** Bytes with some of them changed, removed or repeated. */
export function corruptBytes(bytes: Uint8Array, choices: RandomChoices): Uint8Array {
  let result = Buffer.from(bytes);
  for (const _ of choices.several(1, 5, () => 0)) {
    const at = choices.between(0, Math.max(0, result.length - 1));
    const kind = choices.between(0, 3);
    if (kind === 0 && result.length > 0) result[at] = choices.pick([0, 1, 0x7f, 0x80, 0xff, choices.between(0, 255)]);
    else if (kind === 1) result = Buffer.concat([result.subarray(0, at), Buffer.alloc(10, 0xff), result.subarray(at)]);
    else if (kind === 2) result = result.subarray(0, at);
    else result = Buffer.concat([result.subarray(0, at), result.subarray(at), result.subarray(at)]);
  }
  return result;
}

/** A JSON text of what may hold lone surrogates and integers beyond what a number can hold. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value) ?? '';
}
