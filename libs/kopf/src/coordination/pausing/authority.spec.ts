import { VirtualClock } from '../../testing/virtual.clock.js';
import { Authority } from './authority.js';
import { UNLIMITED } from './leadership.term.js';

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
    const { term } = authority;
    const { signal } = term;
    await clock.advance(9999);
    expect([authority.isValid, term.isOpen]).toEqual([true, true]);
    await clock.advance(1);
    expect([term.isOpen, authority.isValid, signal.aborted]).toEqual([false, false, true]);
    expect(clock.pending).toBe(0);
  });

  it('should go on when it is extended', async () => {
    authority.grant(inSeconds(10));
    const { term } = authority;
    await clock.advance(9000);
    authority.grant(inSeconds(10));
    await clock.advance(9000);
    expect(term.isOpen).toBe(true);
    expect(authority.term).toBe(term);
  });

  it('should end when the time of the day has gone on, though the machine was asleep', () => {
    authority.grant({ monotonic: clock.monotonic() + 10_000, now: clock.now() - 1 });
    expect(authority.isValid).toBe(false);
  });

  it('should not cover what was begun before it was lost, even if it is there again', () => {
    authority.grant(inSeconds(10));
    const { term } = authority;
    authority.revoke();
    authority.grant(inSeconds(10));
    expect(authority.isValid).toBe(true);
    expect(term.isOpen).toBe(false);
  });

  it('should let nothing pass while it has expired and can be confirmed, and go on when it is', async () => {
    let asked = 0;
    authority.confirmBy(() => Boolean(++asked));
    authority.grant(inSeconds(10));
    const { term } = authority;
    await clock.advance(10_000);
    const { pending } = term;
    expect([term.isOpen, term.isOver, authority.isValid, asked]).toEqual([false, false, false, 1]);
    // An answer that comes too late confirms nothing.
    authority.grant(inSeconds(-1));
    expect([term.isOpen, term.isOver]).toEqual([false, false]);
    authority.grant(inSeconds(10));
    await pending;
    expect([term.isOpen, authority.isValid, authority.pending, asked]).toEqual([true, true, undefined, 1]);
  });

  it('should end for good if it has expired and cannot be confirmed', async () => {
    authority.confirmBy(() => true);
    authority.grant(inSeconds(10));
    const { term } = authority;
    await clock.advance(10_000);
    const { pending } = term;
    authority.revoke();
    await pending;
    authority.grant(inSeconds(10));
    expect([term.isOpen, term.isOver, term.signal.aborted, authority.isValid]).toEqual([false, true, true, true]);
  });

  it('should last for ever if nothing limits it', async () => {
    authority.grant(UNLIMITED);
    await clock.advance(1e12);
    expect([authority.isValid, authority.term.isLimited]).toEqual([true, false]);
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
