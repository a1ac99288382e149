import { VirtualClock } from '../../../testing/index.js';
import type { OperatorEvent } from '../../event-log/operator.event.js';
import { EventLog } from './event.log.js';

class RecorderWorld {
  readonly clock = new VirtualClock();
  readonly events: OperatorEvent[] = [];
  readonly log = new EventLog(this.clock, (event) => this.events.push(event));

  write(text: string, isError = false): void {
    this.log.write(() => ({ type: 'note', actor: { kind: 'operator', name: 'operator' }, text }), isError);
  }
}

describe('The event log of an operator', () => {
  it('should leave out events beyond the limit of a second, and say how many there were', async () => {
    const world = new RecorderWorld();
    for (let index = 0; index < 800; index++) world.write(`event ${index}`);
    expect(world.events).toHaveLength(500);
    await world.clock.advance(1000);
    world.write('the next second');
    expect(world.events.slice(500).map(({ text }) => text)).toEqual([
      '300 events were left out, as there were more than 500 in a second',
      'the next second',
    ]);
  });

  it('should describe no event that is left out', () => {
    const world = new RecorderWorld();
    for (let index = 0; index < 500; index++) world.write('one of many');
    const describe = vi.fn();
    expect(world.log.write(describe)).toBeUndefined();
    expect(describe).not.toHaveBeenCalled();
  });

  it('should keep changes and errors rather than routine calls', async () => {
    const world = new RecorderWorld();
    const tick = (error?: string) => ({
      id: 'tick',
      reason: 'timer',
      attempt: 1,
      ...(error !== undefined && { error }),
    });
    const actor = { kind: 'operator', name: 'operator' } as const;
    world.write('a change');
    world.log.write(() => ({ type: 'outcome', actor, text: 'an error', call: tick('no') }), true);
    for (let second = 0; second < 12; second++) {
      for (let index = 0; index < 450; index++)
        world.log.write(() => ({ type: 'call', actor, text: 'tick', call: tick() }));
      await world.clock.advance(1000);
    }
    expect(world.log.recent).toHaveLength(2000);
    expect(world.log.recent.slice(0, 2).map(({ text }) => text)).toEqual(['a change', 'an error']);
    for (let second = 0; second < 6; second++) {
      for (let index = 0; index < 450; index++) world.write('another change');
      await world.clock.advance(1000);
    }
    expect(world.log.recent).toHaveLength(2000);
  });

  it('should have room for errors where there is none for anything else', () => {
    const world = new RecorderWorld();
    for (let index = 0; index < 700; index++) world.write('one of many');
    for (let index = 0; index < 200; index++) world.write('an error', true);
    expect(world.events.filter(({ text }) => text === 'an error')).toHaveLength(100);
  });
});
