import { MemoryLogger } from '../../../../../test/support/telemetry/memory.logger.js';
import { ApiConflictError } from '../../client/api/api.errors.js';
import { BlockageMonitor } from '../../execution/blockage.monitor.js';
import { KopfSettings } from '../../settings/kopf.settings.js';
import { sleep } from 'kube-common';
import { VirtualClock } from '../../testing/time/virtual.clock.js';
import { Leadership } from '../pausing/leadership.js';
import { Pauses } from '../pausing/pauses.js';
import { LeaderElection } from './leader.election.js';
import type { Lease, LeaseSpec } from './lease.js';

const LEASE_SETTINGS = { leaseDuration: 15, renewDeadline: 10, retryPeriod: 2 };
const RENEWED = '2020-12-31T23:59:59.000000Z';

/** Elects with a Lease that is kept here; `fail` is asked before each request. */
function arrange(
  spec?: LeaseSpec,
  fail: (method: 'get' | 'write', count: number) => Error | undefined = () => undefined,
  /** The seconds that the API server takes for a request. It changes the Lease after half of them. */
  latency: (now: number) => number = () => 0,
) {
  const clock = new VirtualClock();
  const logger = new MemoryLogger();
  const pauses = new Pauses();
  const leadership = new Leadership(clock);
  const monitor = new BlockageMonitor(clock);
  const requests: string[] = [];
  let version = 1;
  let stored: Lease | undefined = spec && { metadata: { name: 'l', uid: 'u', resourceVersion: '1' }, spec };
  const store = (next: LeaseSpec): Lease =>
    (stored = { metadata: { name: 'l', uid: 'u', resourceVersion: String(++version) }, spec: next });
  const request = (method: 'get' | 'write'): void => {
    requests.push(`${clock.monotonic() / 1000}: ${method}`);
    const error = fail(method, requests.filter((each) => each.endsWith(method)).length);
    if (error) throw error;
  };
  const client = {
    title: 'Lease ns/l',
    namespace: 'ns',
    name: 'l',
    get: (timeout: number) => {
      request('get');
      return answer(timeout, () => stored);
    },
    write: (known: Lease | undefined, next: LeaseSpec, timeout: number) => {
      request('write');
      return answer(timeout, () => {
        if (known?.metadata.resourceVersion !== stored?.metadata.resourceVersion) throw conflict();
        return store(next);
      });
    },
  };
  const answer = async <T>(timeout: number, read: () => T): Promise<T> => {
    const seconds = latency(clock.monotonic() / 1000);
    if (seconds === 0) return read();
    const answering = (async () => {
      await sleep(clock, seconds / 2);
      const result = read();
      await sleep(clock, seconds / 2);
      return result;
    })();
    if (seconds < timeout) return answering;
    answering.catch(() => undefined);
    await sleep(clock, timeout);
    throw new Error('timeout');
  };
  const election = new LeaderElection({
    client: client as never,
    identity: 'me',
    settings: Object.assign(new KopfSettings().peering, LEASE_SETTINGS) as never,
    pauses,
    leadership,
    monitor,
    clock,
    random: { next: () => 0 } as never,
    logger,
  });
  const start = () => clock.runUntil(election.adjust());
  const reasons = (): readonly string[] => pauses.status.reasons;
  return { clock, election, leadership, logger, monitor, reasons, requests, start, store, stored: () => stored };
}

const conflict = (): Error => new ApiConflictError({ status: 409, method: 'PUT', path: '/lease' });
const heldBy = (holderIdentity: string, leaseDurationSeconds?: number): LeaseSpec => ({
  holderIdentity,
  leaseDurationSeconds,
  acquireTime: RENEWED,
  renewTime: RENEWED,
  leaseTransitions: 3,
});

describe('LeaderElection', () => {
  it.each<[string, LeaseSpec | undefined]>([
    ['there is none', undefined],
    ['nobody holds it', heldBy('')],
    ['it holds it already', heldBy('me')],
  ])('should take the Lease if %s, and work until the renew deadline', async (_what, spec) => {
    const { election, leadership, reasons, start, clock, logger } = arrange(spec);
    await start();
    expect(election.leaseStatus).toMatchObject({ isLeader: true, holder: 'me' });
    expect([leadership.isValid, reasons()]).toEqual([true, []]);
    expect(logger.messages('log')).toEqual(['This operator works, as it holds the Lease ns/l.']);
    clock.block(9999);
    expect(leadership.term.isOpen).toBe(true);
    clock.block(1);
    expect(leadership.term.isOpen).toBe(false);
  });

  it('should pause before it knows whether it leads', () => {
    const { election, leadership, reasons } = arrange();
    void election.adjust();
    expect([leadership.isValid, reasons()]).toEqual([false, ['The Lease ns/l is not held yet.']]);
  });

  it('should renew the Lease in every retry period, without reading it', async () => {
    const { clock, requests, start, leadership } = arrange();
    await start();
    await clock.advance(6000);
    expect(requests).toEqual(['0: get', '0: write', '2: write', '4: write', '6: write']);
    expect(leadership.isValid).toBe(true);
  });

  it.each<[string, number | undefined, number]>([
    ['its own duration', 5, 5],
    ["the operator's duration, if it says none", undefined, 15],
  ])("should take another one's Lease once it has not changed for %s", async (_what, duration, seconds) => {
    const { clock, leadership, reasons, start } = arrange(heldBy('you', duration));
    await start();
    expect(reasons()).toEqual(['The Lease ns/l is held by you.']);
    await clock.advance(seconds * 1000 - 1);
    expect(leadership.isValid).toBe(false);
    await clock.advance(1);
    expect([leadership.isValid, reasons()]).toEqual([true, []]);
  });

  it("should count from the last change of another one's Lease, whatever the times in it are", async () => {
    const { clock, leadership, start, store } = arrange(heldBy('you', 5));
    await start();
    await clock.advance(3000);
    store({ ...heldBy('you', 5), renewTime: '1999-12-31T23:59:59.000000Z' });
    await clock.advance(5000);
    expect(leadership.isValid).toBe(false);
    await clock.advance(4000);
    expect(leadership.isValid).toBe(true);
  });

  it('should know at once that another operator has taken the Lease', async () => {
    const { clock, leadership, logger, reasons, requests, start, store } = arrange();
    await start();
    store(heldBy('you', 15));
    await clock.advance(2000);
    expect(requests.slice(2)).toEqual(['2: write', '2: get']);
    expect([leadership.isValid, reasons()]).toEqual([false, ['The Lease ns/l is held by you.']]);
    expect(logger.messages('warn')).toEqual(['This operator pauses: it has lost the Lease ns/l to you.']);
  });

  it('should renew a Lease that has changed, but is still its own', async () => {
    const { clock, leadership, requests, start, store, stored } = arrange();
    await start();
    store(stored()!.spec!);
    const { term } = leadership;
    await clock.advance(2000);
    expect(requests.slice(2)).toEqual(['2: write', '2: get', '2: write']);
    expect([leadership.isValid, leadership.term]).toEqual([true, term]);
  });

  it('should begin another term if another operator has held the Lease in between', async () => {
    const { clock, leadership, start, store, stored } = arrange();
    await start();
    const { term } = leadership;
    store({ ...stored()!.spec, leaseTransitions: 7 });
    await clock.advance(2000);
    expect([leadership.isValid, term.isOver]).toEqual([true, true]);
  });

  it('should pause when it cannot renew the Lease until the renew deadline, and report only the first failure', async () => {
    const { clock, leadership, logger, reasons, start } = arrange(undefined, (method, count) =>
      method === 'write' && count > 1 ? new Error('away') : undefined,
    );
    await start();
    await clock.advance(9999);
    expect([leadership.isValid, reasons()]).toEqual([true, []]);
    await clock.advance(1);
    expect([leadership.isValid, reasons()]).toEqual([false, ['The Lease ns/l could not be renewed.']]);
    expect(logger.messages('warn')).toEqual([
      'The Lease ns/l could not be renewed, which is tried again: away',
      'This operator pauses: it could not renew the Lease ns/l in time.',
    ]);
  });

  describe('when the event loop was blocked beyond the renew deadline', () => {
    it('should work on if the Lease is still as it was written last', async () => {
      const { clock, leadership, logger, reasons, start } = arrange();
      await start();
      const { term } = leadership;
      clock.block(12_000);
      expect(leadership.isValid).toBe(false);
      await clock.advance(0);
      expect([leadership.isValid, term.isOver, reasons()]).toEqual([true, false, []]);
      expect(logger.messages('warn')).toEqual([expect.stringContaining('so nothing is lost')]);
    });

    it('should end the term if another operator has taken the Lease', async () => {
      const { clock, leadership, logger, reasons, start, store } = arrange();
      await start();
      const { term } = leadership;
      clock.block(12_000);
      store(heldBy('you', 15));
      expect(leadership.isValid).toBe(false);
      await clock.advance(0);
      expect([term.isOver, reasons()]).toEqual([true, ['The Lease ns/l is held by you.']]);
      expect(logger.messages('warn').at(-1)).toContain('and the Lease ns/l was lost');
    });
  });

  it('should renew the Lease at once after the machine has slept, in which the monotonic clock stood still', async () => {
    const { clock, leadership, reasons, requests, start } = arrange();
    await start();
    const { term } = leadership;
    const now = clock.now.bind(clock);
    clock.now = () => now() + 60_000;
    expect(leadership.isValid).toBe(false);
    await clock.advance(0);
    expect(requests.at(-1)).toBe('0: write');
    expect([leadership.isValid, term.isOver, reasons()]).toEqual([true, false, []]);
  });

  describe('when the API server is slow', () => {
    /** The API server takes some seconds from the first renewal on. */
    const slow = (seconds: number) => arrange(undefined, undefined, (now) => (now < 1 ? 0 : seconds));

    it.each([1, 3, 4, 4.9, 6])('should keep its term though each answer takes %d s', async (seconds) => {
      const { clock, leadership, logger, reasons, start } = arrange(undefined, undefined, () => seconds);
      await start();
      await clock.advance(30_000);
      const { term } = leadership;
      expect(reasons()).toEqual([]);
      await clock.advance(300_000);
      expect([leadership.term, term.isOver, reasons()]).toEqual([term, false, []]);
      expect(logger.messages('warn').filter((text) => text.includes('pauses'))).toEqual([]);
    });

    it.each([3, 4, 4.9])('should keep its term if that begins while it leads: %d s', async (seconds) => {
      const { clock, leadership, reasons, start } = slow(seconds);
      await start();
      const { term } = leadership;
      await clock.advance(300_000);
      expect([leadership.term, term.isOver, reasons()]).toEqual([term, false, []]);
    });

    it('should write nothing after the deadline, until an answer shows that no other replica has led', async () => {
      let seconds = 0;
      const { clock, leadership, logger, reasons, start } = arrange(undefined, undefined, () => seconds);
      await start();
      const { term } = leadership;
      await clock.advance(1000);
      seconds = 4.5;
      await clock.advance(5400);
      seconds = 5.6;
      await clock.advance(5600);
      expect([term.isOpen, term.isOver, reasons()]).toEqual([false, false, []]);
      await clock.advance(100);
      expect([term.isOpen, reasons()]).toEqual([true, []]);
      expect(logger.messages('warn').at(-1)).toContain('was renewed too late, as the API server is slow');
      await clock.advance(300_000);
      expect([leadership.term, term.isOver]).toEqual([term, false]);
      expect(logger.messages('warn').filter((text) => text.includes('pauses'))).toEqual([]);
    });

    it('should lose a Lease that it cannot renew before another replica may take it', async () => {
      const { clock, leadership, reasons, start } = slow(100);
      await start();
      const { term } = leadership;
      await clock.advance(10_000);
      expect([term.isOpen, term.isOver, reasons()]).toEqual([false, false, []]);
      await clock.advance(2499);
      expect(term.isOver).toBe(false);
      await clock.advance(1);
      expect([term.isOver, reasons()]).toEqual([true, ['The Lease ns/l could not be renewed.']]);
    });

    it('should end its term if the late answer shows that another replica has led', async () => {
      const { clock, leadership, start, store } = slow(4.9);
      await start();
      const { term } = leadership;
      await clock.advance(3000);
      store(heldBy('you', 15));
      await clock.advance(9000);
      expect([term.isOver, leadership.isValid]).toEqual([true, false]);
    });

    it('should count a renewal that was stored though its answer came too late', async () => {
      const { clock, leadership, requests, start } = arrange(undefined, undefined, (now) =>
        now > 1 && now < 3 ? 8 : 0,
      );
      await start();
      const { term } = leadership;
      await clock.advance(7000);
      expect(requests.slice(2)).toEqual(['2: write', '7: get', '7: write']);
      expect([leadership.term, term.isOpen]).toEqual([term, true]);
    });
  });

  describe('when it leaves', () => {
    it('should release its own Lease, so that others can take it at once', async () => {
      const { clock, election, leadership, reasons, start, stored } = arrange();
      await start();
      await clock.runUntil(election.leave());
      expect(stored()?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
      expect([leadership.isValid, reasons(), clock.pending]).toEqual([false, [], 0]);
    });

    it("should leave another one's Lease as it is, and not block any more", async () => {
      const { clock, election, reasons, requests, start } = arrange(heldBy('you', 15));
      await start();
      await clock.runUntil(election.leave());
      expect([requests, reasons()]).toEqual([['0: get'], []]);
    });

    it('should only warn if the Lease cannot be released', async () => {
      const { clock, election, logger, start } = arrange(undefined, (method, count) =>
        method === 'write' && count > 1 ? new Error('away') : undefined,
      );
      await start();
      await clock.runUntil(election.leave());
      expect(logger.messages('warn')).toEqual(['The Lease ns/l could not be released: away']);
    });
  });
});
