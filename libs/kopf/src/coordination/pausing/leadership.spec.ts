import { fenceOf } from '../../common/request.fence.js';
import { LeadershipLostError } from '../../execution/handler.errors.js';
import { VirtualClock } from '../../testing/time/virtual.clock.js';
import { Leadership } from './leadership.js';
import { UNLIMITED } from './leadership.term.js';

describe('Leadership', () => {
  let clock: VirtualClock;
  let leadership: Leadership;

  /** The time stamp in so many seconds. */
  const inSeconds = (seconds: number) => ({
    monotonic: clock.monotonic() + seconds * 1000,
    now: clock.now() + seconds * 1000,
  });

  beforeEach(() => {
    clock = new VirtualClock();
    leadership = new Leadership(clock);
  });

  it('should not be there in the beginning', () => {
    expect(leadership.isValid).toBe(false);
  });

  it('should end at its time, without any timer', async () => {
    leadership.grant(inSeconds(10));
    const { term } = leadership;
    const { signal } = term;
    await clock.advance(9999);
    expect([leadership.isValid, term.isOpen]).toEqual([true, true]);
    await clock.advance(1);
    expect([term.isOpen, leadership.isValid, signal.aborted]).toEqual([false, false, true]);
    expect(clock.pending).toBe(0);
  });

  it('should go on when it is extended', async () => {
    leadership.grant(inSeconds(10));
    const { term } = leadership;
    await clock.advance(9000);
    leadership.grant(inSeconds(10));
    await clock.advance(9000);
    expect(term.isOpen).toBe(true);
    expect(leadership.term).toBe(term);
  });

  it('should end when the time of the day has gone on, though the machine was asleep', () => {
    leadership.grant({ monotonic: clock.monotonic() + 10_000, now: clock.now() - 1 });
    expect(leadership.isValid).toBe(false);
  });

  it('should not cover what was begun before it was lost, even if it is there again', () => {
    leadership.grant(inSeconds(10));
    const { term } = leadership;
    leadership.revoke();
    leadership.grant(inSeconds(10));
    expect(leadership.isValid).toBe(true);
    expect(term.isOpen).toBe(false);
  });

  it('should let nothing pass while it has expired and can be confirmed, and go on when it is', async () => {
    let asked = 0;
    leadership.confirmBy(() => Boolean(++asked));
    leadership.grant(inSeconds(10));
    const { term } = leadership;
    await clock.advance(10_000);
    const { pending } = term;
    expect([term.isOpen, term.isOver, leadership.isValid, asked]).toEqual([false, false, false, 1]);
    // An answer that comes too late confirms nothing.
    leadership.grant(inSeconds(-1));
    expect([term.isOpen, term.isOver]).toEqual([false, false]);
    leadership.grant(inSeconds(10));
    await pending;
    expect([term.isOpen, leadership.isValid, leadership.pending, asked]).toEqual([true, true, undefined, 1]);
  });

  it('should end for good if it has expired and cannot be confirmed', async () => {
    leadership.confirmBy(() => true);
    leadership.grant(inSeconds(10));
    const { term } = leadership;
    await clock.advance(10_000);
    const { pending } = term;
    leadership.revoke();
    await pending;
    leadership.grant(inSeconds(10));
    expect([term.isOpen, term.isOver, term.signal.aborted, leadership.isValid]).toEqual([false, true, true, true]);
  });

  it('should last for ever if nothing limits it', async () => {
    leadership.grant(UNLIMITED);
    await clock.advance(1e12);
    expect([leadership.isValid, leadership.term.isLimited]).toEqual([true, false]);
  });

  it('should fence the requests that are made with its signals, without any timer', async () => {
    leadership.confirmBy(() => true);
    leadership.grant(inSeconds(10));
    const signal = leadership.within(new AbortController().signal);
    expect(fenceOf(signal)?.isOpen).toBe(true);
    await clock.advance(10_000);
    expect([fenceOf(signal)?.isOpen, signal.aborted]).toEqual([false, false]);
    leadership.revoke();
    leadership.grant(inSeconds(10));
    expect(fenceOf(signal)).toMatchObject({ isOpen: false, reason: new LeadershipLostError() });
  });

  it('should end other signals with it, and be ended by them', () => {
    const controller = new AbortController();
    leadership.grant(inSeconds(10));
    const first = leadership.within(controller.signal);
    expect(leadership.within(controller.signal)).toBe(first);
    leadership.revoke();
    expect(first.aborted).toBe(true);
    leadership.grant(inSeconds(10));
    const second = leadership.within(controller.signal);
    expect(second.aborted).toBe(false);
    controller.abort();
    expect(second.aborted).toBe(true);
  });
});
