import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Experiment, type Way } from './experiment.js';
import {
  KNOWN_DIFFERENCES,
  LEFTOVER_PROGRESS,
  NOT_DRAWN,
  PATCH_ORDER,
  REFUSED_PATCH,
  VAIN_CALL,
  VAIN_PATCH,
} from './known.differences.js';
import { DifferentialTestbed } from './differential.testbed.js';

/** The number of programs that are drawn, and the seed of the first one, which is part of the tests' names. */
const COUNT = Number(process.env.DIFFERENTIAL ?? 12);
const SEED = Number(process.env.DIFFERENTIAL_SEED ?? Math.floor(Math.random() * 1_000_000));
const SEEDS = `DIFFERENTIAL=${COUNT} DIFFERENTIAL_SEED=${SEED}`;

const KOPF: Way = { name: 'kopf', sides: ['kopf'] };
const OURS: Way = { name: 'ours', sides: ['ours'] };
const KOPF_KOPF: Way = { name: 'kopf-kopf', sides: ['kopf', 'kopf'] };
const KOPF_OURS: Way = { name: 'kopf-ours', sides: ['kopf', 'ours'] };
const OURS_KOPF: Way = { name: 'ours-kopf', sides: ['ours', 'kopf'] };
const OURS_OURS: Way = { name: 'ours-ours', sides: ['ours', 'ours'] };

let testbed: DifferentialTestbed;

beforeAll(async () => {
  testbed = await DifferentialTestbed.build();
}, 300_000);

afterAll(() => testbed?.tearDown());

async function findDifferences(ways: readonly [Way, ...Way[]], batch: number): Promise<readonly string[]> {
  const experiment = new Experiment(testbed, ways);
  await experiment.run(SEED, COUNT, batch);
  const { programs, calls, writes, unsteady, differences } = experiment.report;
  console.log(`${programs} programs, ${calls} calls, ${writes} writes, ${unsteady.length} unsteady programs`);
  for (const text of [...unsteady.map((each) => `unsteady: ${each}`), ...differences]) console.log(text);
  return differences;
}

describe(`operators and users drawn at random: ${SEEDS}`, () => {
  it('should do what Kopf does, in every call and every write', async () => {
    expect(await findDifferences([KOPF, OURS], 20)).toEqual([]);
  }, 3_600_000);

  it('should go on where another operator was killed or stopped, in all four ways', async () => {
    expect(await findDifferences([KOPF_KOPF, KOPF_OURS, OURS_KOPF, OURS_OURS], 10)).toEqual([]);
  }, 3_600_000);
});

it.each([
  ...KNOWN_DIFFERENCES.map(({ row }) => row),
  PATCH_ORDER,
  LEFTOVER_PROGRESS,
  REFUSED_PATCH,
  VAIN_PATCH,
  VAIN_CALL,
  ...NOT_DRAWN,
])('should only leave out what the guide tells: %s', (row) => {
  const guide = readFileSync(join(import.meta.dirname, '../../../libs/kopf/docs/moving-from-kopf.md'), 'utf8');
  expect(guide).toContain(`| ${row}`);
});
