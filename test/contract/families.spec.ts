import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAMILIES } from './families.js';
import { normalize, play, withStatusFirst, type Entry, type Trace } from './scenario.player.js';

const traces = JSON.parse(readFileSync(join(import.meta.dirname, 'families.json'), 'utf8')) as readonly Trace[];

/**
 * Keeps what is the same in each run. While it stops, Kopf takes its time, ours does not;
 * and patches of an object that has gone, which have no effect, are sent or not by which event is first.
 */
function comparable(log: readonly Entry[]): readonly Entry[] {
  let isStopping = false;
  return log.filter(({ event, response }) => {
    const wasStopping = isStopping;
    if (event === 'operator: stopping') isStopping = true;
    if (event === 'operator: stopped') isStopping = false;
    return !wasStopping && response !== 404;
  });
}

function eventsOf(log: readonly Entry[]): readonly Entry[] {
  return log.filter((entry) => 'event' in entry);
}

function callsOf(log: readonly Entry[]): readonly string[] {
  return log.filter((entry) => 'call' in entry).map(({ call, reason }) => `${call}: ${reason}`);
}

describe("Kopf's families", () => {
  it('should all be played by both', () => {
    expect(FAMILIES.map(({ name }) => name)).toEqual(traces.map(({ name }) => name));
  });

  it.each(FAMILIES)('should call and write the same, or differ as it is meant to: $name', async (family) => {
    const trace = traces.find(({ name }) => name === family.name);
    if (!trace) throw new Error('There is no such trace.');
    const actual = comparable(await play(family, trace.statusSubresource));
    const expected = withStatusFirst(comparable(trace.log).map(normalize));
    if (!family.differs) return expect(actual).toEqual(expected);
    expect(eventsOf(actual)).toEqual(eventsOf(expected));
    expect(callsOf(actual)).toEqual(family.differs);
    expect(callsOf(expected)).not.toEqual(family.differs);
  });
});
