import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { normalize, play, withStatusFirst, type Entry, type Trace } from './scenario.player.js';
import { SCENARIOS, type Scenario } from './scenarios.js';

const traces = JSON.parse(
  readFileSync(process.env.KOPF_TRACES ?? join(import.meta.dirname, 'traces.json'), 'utf8'),
) as readonly Trace[];

/** The scenario with the start and the end of the operator, which are the same in all of them. */
function started(scenario: Scenario): Scenario {
  return {
    ...scenario,
    play: async (user) => {
      await user.start();
      await scenario.play(user);
      await user.stop();
    },
  };
}

function withoutEvents(log: readonly Entry[]): readonly Entry[] {
  return log.filter((entry) => !('event' in entry));
}

/** Calls and patches are in a fixed order; events are posted in the background, so only their own order is fixed. */
function split(log: readonly Entry[]): { handling: readonly Entry[]; events: readonly Entry[] } {
  const isEvent = (entry: Entry): boolean => entry.method === 'POST';
  return { handling: log.filter((entry) => !isEvent(entry)), events: log.filter(isEvent) };
}

/** Every call and every write, each once, in the order of their first ones. */
function kinds(log: readonly Entry[]): readonly Entry[] {
  return log.filter((entry, index) => log.findIndex((other) => isDeepStrictEqual(other, entry)) === index);
}

describe("Kopf's traces", () => {
  it('should all be covered', () => {
    expect(
      traces.map(({ name }) => name).filter((name) => !SCENARIOS.some((scenario) => scenario.name === name)),
    ).toEqual([]);
  });

  it.each(SCENARIOS)('should call and write the same: $name', async (scenario) => {
    const trace = traces.find(({ name }) => name === scenario.name);
    if (!trace) throw new Error('There is no such trace.');
    const actual = split(withoutEvents(await play(started(scenario), trace.statusSubresource)));
    const entries = withoutEvents(trace.log).map(normalize);
    const relevant = entries.slice(0, entries.length - (scenario.writesWhileStopping ?? 0));
    const expected = split(withStatusFirst(relevant));
    if (scenario.shapeOnly) expect(kinds(actual.handling)).toEqual(kinds(expected.handling));
    else expect(actual).toEqual(expected);
  });
});
