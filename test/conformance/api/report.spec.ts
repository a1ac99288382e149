import { readAccepted } from './accepted.differences.js';
import { failureReasons } from './report.js';
import { Tally } from './tally.js';

const FEW = 32;

/** Adds an answer with a code of each server; the bodies are equal. */
function add(tally: Tally, id: string, real: number, embedded = real): void {
  const step = { method: 'POST', path: '/api/v1/namespaces' };
  tally.addCase([{ id, step, real: { code: real }, embedded: { code: embedded } }]);
}

describe('the result of a comparison', () => {
  it('should fail for a case that differs without an explanation', () => {
    const tally = new Tally();
    add(tally, 'cluster: Namespaces', 201, 409);
    expect(failureReasons(tally.result())).toEqual(['cluster: Namespaces differs, and no row of the guide says why']);
  });

  it('should not fail for few generated requests that differ', () => {
    const tally = new Tally();
    for (let index = 1; index <= 2 * FEW; index++) add(tally, `random: 1/${index}/0`, 201);
    add(tally, 'random: 1/0/0', 201, 409);
    expect(failureReasons(tally.result())).toEqual([]);
  });

  it('should fail if less than 97 % of the answers to generated requests are equal', () => {
    const tally = new Tally();
    for (let index = 1; index < FEW; index++) add(tally, `random: 1/${index}/0`, 201);
    add(tally, 'history: 1/0/0', 201, 409);
    expect(failureReasons(tally.result())).toEqual(['of the answers to generated requests, only 96.9 % are equal']);
  });

  it('should fail for a single request that the real server refuses and embedded-kube does not', () => {
    const tally = new Tally();
    for (let index = 1; index <= 2 * FEW; index++) add(tally, `random: 1/${index}/0`, 201);
    add(tally, 'random: 1/0/0', 422, 201);
    expect(failureReasons(tally.result())).toEqual([
      'random: 1/0/0: the real server refuses POST /api/v1/namespaces, embedded-kube does not',
    ]);
  });
});

describe('the table of differences in the guide', () => {
  const HEAD = '## Differences\n\n| What | Why | Patterns |\n| --- | --- | --- |\n';

  it('should explain what its patterns match', () => {
    const [row] = readAccepted(
      `${HEAD}| Words | They are those of a parser | \`bodies: *: POST configmaps 400 message\` |\n`,
    );
    expect(row.patterns[0].test('bodies: Unreadable: POST configmaps 400 message')).toBe(true);
    expect(row.patterns[0].test('bodies: Unreadable: POST configmaps 400 code')).toBe(false);
  });

  it('should be one table, in which no row stands twice', () => {
    const row = '| Words | Why | `a: b` |\n';
    expect(() => readAccepted(`${HEAD}${row}${row}`)).toThrow('twice: Words');
    expect(() => readAccepted(`${HEAD}${row}| What | Why | Patterns |\n`)).toThrow('has no pattern');
    expect(readAccepted().length).toBeGreaterThan(0);
  });
});
