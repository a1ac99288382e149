import { drawSchedule } from './plan.drawing.js';
import { invariantOf, shrinkPlan } from './plan.shrinking.js';
import type { SchedulePlan } from './schedule.plan.js';
import { runSchedule } from './schedule.runner.js';
import { ScheduleTally } from './schedule.tally.js';
import { byForm } from '../support/runner/test.form.js';

/** The seed of a schedule to be replayed, alone and with its log. */
const REPLAYED = process.env.SCHEDULE_SEED;
/** The number of schedules; if it is not set, as many are run as the time allows, up to the default. */
const COUNT = process.env.SCHEDULES;
const DEFAULT_COUNT = byForm({ short: 40, long: 300 });
/** Real milliseconds after which no further schedule is begun. */
const TIME_LIMIT = byForm({ short: 10_000, long: 60_000 });
/** Each run draws other schedules, unless a seed is given. */
const FROM = Number(REPLAYED ?? process.env.SCHEDULES_FROM ?? Math.floor(Math.random() * 2 ** 31));

/** Schedules that once violated an invariant. */
const ONCE_VIOLATED = [
  // A write that the operator has given up comes after its repetition, and the operator stops before it has made up for that.
  1903482502,
  // The answer of a JSON patch is lost while the changes of handlers are sent one by one after a rejection.
  1965566365,
  // The write of a stopped operator comes late, so that the record of a success, in the status, keeps what an earlier attempt was made with.
  7000186,
  // An object leaves the filter of a handler while the rejected progress of its sub-handler is kept in the memory.
  8000950,
  // An object leaves the filter of a deletion handler, and comes back when the operator has finished the deletion, but could not write.
  1745970697,
];

/** Faults that must have happened in a full run, so that it shows anything at all. */
const ESSENTIAL_FAULTS: readonly string[] = [
  '401|403|404|409|422|429|500|503',
  'lose request|lose answer|lose body|slow request|slow answer|hang request|hang answer',
  'silence, then lines|silence, then reset|silence, then end|silence, then nothing',
  'watch reset|watch ended|watch gone|broken-line|expire',
  'server restart|server restart without history|crash|restart',
].flatMap((kinds) => kinds.split('|'));

describe('an operator among faults, crashes, and users, in random schedules', () => {
  const tally = new ScheduleTally();

  /** Finds the smallest plan that violates the same invariant, for whoever has to understand it. */
  async function explain(plan: SchedulePlan, violations: readonly string[]): Promise<string> {
    const smallest = await shrinkPlan(plan, async (smaller) => (await runSchedule(smaller)).violations);
    const { violations: left, lines } = await runSchedule(smallest, true);
    const log = REPLAYED === undefined ? '' : `\n${lines.join('\n')}`;
    const parts = [`SCHEDULE_SEED=${plan.seed} replays it.`, ...violations, JSON.stringify(smallest, null, 1), ...left];
    return parts.join('\n') + log;
  }

  it(
    `should come to rest with everything done, from seed ${FROM}`,
    async () => {
      const count = REPLAYED === undefined ? Number(COUNT ?? DEFAULT_COUNT) : 1;
      const until = COUNT === undefined ? performance.now() + TIME_LIMIT : Infinity;
      let explanation: string | undefined;
      for (let seed = FROM; seed < FROM + count && performance.now() < until; seed++) {
        const plan = drawSchedule(seed);
        const outcome = await runSchedule(plan);
        tally.add(seed, outcome);
        if (outcome.violations.length > 0) explanation ??= await explain(plan, outcome.violations);
      }
      console.log(tally.toString());
      if (explanation) expect.fail(`${tally.violated.length} schedules: ${tally.violated.join(' ')}\n${explanation}`);
    },
    6 * 3_600_000,
  );

  it.runIf(REPLAYED === undefined).each(ONCE_VIOLATED)('should still come to rest with seed %i', async (seed) => {
    expect((await runSchedule(drawSchedule(seed))).violations).toEqual([]);
  });

  it.runIf(Number(COUNT) >= 1000)('should have met all kinds of faults', () => {
    for (const kind of ESSENTIAL_FAULTS) expect(tally.hits[kind], kind).toBeGreaterThan(5);
  });
});

describe('the random schedules', () => {
  it('should be the same again for the same seed', async () => {
    const [first, second] = [await runSchedule(drawSchedule(FROM), true), await runSchedule(drawSchedule(FROM), true)];
    expect(second.lines).toEqual(first.lines);
    expect(first.lines.length).toBeGreaterThan(0);
  });

  it('should notice a state that is never handled', async () => {
    const plan = drawSchedule(FROM);
    const steps = [
      { when: { after: 1 }, action: { do: 'create', name: 'one' } },
      { when: { after: 1 }, action: { do: 'crash', seconds: 1e6 } },
    ] as const;
    const { violations } = await runSchedule({ ...plan, steps });
    expect(violations.map(invariantOf)).toContain('operator');
  });
});
