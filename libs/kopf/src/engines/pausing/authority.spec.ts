import { VirtualClock } from '../../testing/virtual.clock.js';
import { Authority } from './authority.js';

describe('Authority', () => {
  let clock: VirtualClock;
  let authority: Authority;

  /** The moment in so many seconds. */
  const inSeconds = (seconds: number) => ({
    monotonic: clock.monotonic() + seconds * 1000,
    now: clock.now() + seconds * 1000,
  });

  beforeEach(() => {
    clock = new VirtualClock();
    authority = new Authority(clock);
  });

  it('should not be there in the beginning', () => {
    expect(authority.isValid).toBe(false);
  });

  it('should end at its time, without any timer', async () => {
    authority.grant(inSeconds(10));
    const { signal } = authority;
    await clock.advance(9999);
    expect([authority.isValid, authority.covers(signal)]).toEqual([true, true]);
    await clock.advance(1);
    expect([authority.covers(signal), authority.isValid, signal.aborted]).toEqual([false, false, true]);
    expect(clock.pending).toBe(0);
  });

  it('should go on when it is extended', async () => {
    authority.grant(inSeconds(10));
    const { signal } = authority;
    await clock.advance(9000);
    authority.grant(inSeconds(10));
    await clock.advance(9000);
    expect(authority.covers(signal)).toBe(true);
    expect(authority.signal).toBe(signal);
  });

  it('should end when the time of the day has gone on, though the machine was asleep', () => {
    authority.grant({ monotonic: clock.monotonic() + 10_000, now: clock.now() - 1 });
    expect(authority.isValid).toBe(false);
  });

  it('should not cover what was begun before it was lost, even if it is there again', () => {
    authority.grant(inSeconds(10));
    const { signal } = authority;
    authority.revoke();
    authority.grant(inSeconds(10));
    expect(authority.isValid).toBe(true);
    expect(authority.covers(signal)).toBe(false);
  });

  it('should end other signals with it, and be ended by them', () => {
    const controller = new AbortController();
    authority.grant(inSeconds(10));
    const first = authority.within(controller.signal);
    expect(authority.within(controller.signal)).toBe(first);
    authority.revoke();
    expect(first.aborted).toBe(true);
    authority.grant(inSeconds(10));
    const second = authority.within(controller.signal);
    expect(second.aborted).toBe(false);
    controller.abort();
    expect(second.aborted).toBe(true);
  });
});
