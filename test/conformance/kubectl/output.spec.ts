import { normalise } from './output.normaliser.js';
import { readScenario } from './scenario.reader.js';
import { unifiedDifference } from './unified.diff.js';

describe('normalise', () => {
  it.each([
    ['ages', 'NAME   AGE\na      3m20s\nb      5d', 'NAME  AGE\na  <age>\nb  <age>'],
    ['ages in brackets', '2 (5s ago)   10m', '2 (<age> ago)  <age>'],
    ['uids', 'uid: 904c2b9b-81aa-11e9-a202-a6e6b278a294', 'uid: <uid>'],
    ['times', 'creationTimestamp: "2026-01-01T00:00:00Z"', 'creationTimestamp: "<time>"'],
    ['versions in YAML', 'resourceVersion: "12"', 'resourceVersion: "<version>"'],
    ['versions in JSON', '"resourceVersion": "12"', '"resourceVersion": "<version>"'],
    [
      'what depends on randomness',
      'W0101 reflector.go:1] very short watch\na\nW0101 reflector.go:1] very short watch',
      'a',
    ],
    ['servers', 'running at https://127.0.0.1:6443', 'running at <server>'],
  ])('should replace %s', (_name, output, expected) => {
    expect(normalise(output)).toBe(expected);
  });

  it('should keep names, sizes and the indentation of YAML', () => {
    const yaml = 'spec:\n  size: 1G\n  names:\n  - my-claim';
    expect(normalise(yaml)).toBe(yaml);
  });
});

describe('unifiedDifference', () => {
  it.each([
    ['a\nb', 'a\nb', []],
    ['a\nb\nc', 'a\nc', ['-b']],
    ['a\nc', 'a\nb\nc', ['+b']],
    ['a\nb\nc', 'a\nx\nc', ['-b', '+x']],
    ['', 'a', ['-', '+a']],
  ])('should find between %j and %j: %j', (expected, actual, lines) => {
    expect(unifiedDifference(expected, actual)).toEqual(lines);
  });
});

describe('readScenario', () => {
  it('should understand every line of the scenario', () => {
    const steps = readScenario(new URL('./scenarios/definitions.txt', import.meta.url));
    expect(steps.length).toBeGreaterThan(150);
    expect(new Set(steps.map(({ form }) => form))).toEqual(
      new Set(['run', 'until', 'let', 'template', 'edit', 'watch', 'unwatch']),
    );
    expect(steps.filter(({ form, text }) => form === 'run' && text.includes(' :: '))).toEqual([]);
    expect(steps.find(({ text }) => text.includes('application in'))?.command).toEqual([
      'get',
      'evc',
      '-l',
      'application in (some-app,other)',
    ]);
  });
});
