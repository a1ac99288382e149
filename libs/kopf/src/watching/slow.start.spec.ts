import { UNLIMITED, LeadershipTerm } from '../coordination/pausing/leadership.term.js';
import { VirtualClock } from '../testing/time/virtual.clock.js';
import { Slots } from '../common/slots.js';
import { SlowStart } from './slow.start.js';

const later = (clock: VirtualClock) => ({ monotonic: clock.monotonic() + 60_000, now: clock.now() + 60_000 });

describe('SlowStart', () => {
  function arrange(isLimited = true) {
    const clock = new VirtualClock();
    const start = new SlowStart(clock);
    let term = new LeadershipTerm(clock, isLimited ? later(clock) : UNLIMITED);
    const slots: Slots = new Slots(
      () => start.limitIn(term),
      undefined,
      () => start.onRise(() => slots.admit()),
    );
    let running = 0;
    const take = (count: number): void => {
      for (let index = 0; index < count; index++) {
        const turn = slots.acquire();
        if (turn) void turn.then(() => (running += 1));
        else running += 1;
      }
    };
    return {
      clock,
      slots,
      take,
      running: () => running,
      begin: () => (term = new LeadershipTerm(clock, later(clock))),
    };
  }

  it('should let twice as many objects be processed in each second of a term, until there is no limit', async () => {
    const { clock, take, running } = arrange();
    take(100_000);
    const counts = [running()];
    for (let second = 1; second <= 10; second++) {
      await clock.advance(1000);
      counts.push(running());
    }
    expect(counts).toEqual([32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384, 100_000]);
    expect(clock.pending).toBe(0);
  });

  it('should begin again with each term', async () => {
    const { clock, slots, take, running, begin } = arrange();
    take(100);
    await clock.advance(20_000);
    expect(running()).toBe(100);
    for (let index = 0; index < 100; index++) slots.release();
    begin();
    take(100);
    expect(running()).toBe(132);
  });

  it('should set no limit where the leadership cannot be lost', () => {
    const { take, running, clock } = arrange(false);
    take(1000);
    expect([running(), clock.pending]).toEqual([1000, 0]);
  });
});
