import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAMILIES } from './families.js';
import { normalize, play, withStatusFirst, type Entry, type Trace } from './scenario.player.js';

const traces = JSON.parse(readFileSync(join(import.meta.dirname, 'families.json'), 'utf8')) as readonly Trace[];

/**
 * What is the same in each run. While it stops, Kopf takes its time, ours does not;
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

describe("Kopf's families", () => {
  it('should all be played by both', () => {
    expect(FAMILIES.map(({ name }) => name)).toEqual(traces.map(({ name }) => name));
  });

  it.each(FAMILIES)('should call and write the same: $name', async (family) => {
    const trace = traces.find(({ name }) => name === family.name);
    if (!trace) throw new Error('There is no such trace.');
    const actual = comparable(await play(family, trace.statusSubresource));
    expect(actual).toEqual(withStatusFirst(comparable(trace.log).map(normalize)));
  });
});
