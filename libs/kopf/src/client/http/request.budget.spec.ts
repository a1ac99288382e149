import { getEventListeners } from 'node:events';
import { scriptedApi } from '../../../../../test/support/transport/scripted.api.js';
import { VirtualClock } from '../../testing/time/virtual.clock.js';
import { RequestBudget, type RequestLimits } from './request.budget.js';

function budgetOf(limits: RequestLimits) {
  const clock = new VirtualClock();
  const budget = new RequestBudget(limits, clock);
  const sent: string[] = [];
  const send = (name: string, signal?: AbortSignal, urgent?: boolean): void => {
    const waiting = budget.take(signal, urgent);
    const note = (): void => void sent.push(`${name} at ${clock.monotonic()}`);
    if (waiting) waiting.then(note, (error: unknown) => sent.push(`${name} ${String(error)} at ${clock.monotonic()}`));
    else note();
  };
  return { clock, budget, sent, send };
}

describe('RequestBudget', () => {
  it('should not limit anything by default', () => {
    const { send, sent, clock } = budgetOf({ qps: null, burst: null });
    for (let count = 0; count < 1000; count += 1) send('x');
    expect(sent.length).toBe(1000);
    expect(clock.pending).toBe(0);
  });

  it('should let a burst out, and then as many as allowed, in their order', async () => {
    const { send, sent, clock } = budgetOf({ qps: 2, burst: 3 });
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) send(name);
    await clock.advance(2000);
    expect(sent).toEqual(['a at 0', 'b at 0', 'c at 0', 'd at 500', 'e at 1000', 'f at 1500']);
    expect(clock.pending).toBe(0);
  });

  it('should fill up in quiet times, but not beyond the burst', async () => {
    const { send, sent, clock } = budgetOf({ qps: 1, burst: 2 });
    for (const name of ['a', 'b']) send(name);
    await clock.advance(3_600_000);
    for (const name of ['c', 'd', 'e']) send(name);
    await clock.advance(1000);
    expect(sent.slice(2)).toEqual(['c at 3600000', 'd at 3600000', 'e at 3601000']);
  });

  it.each([
    [5, 5],
    [0.1, 1],
  ])('should have the burst of one second if none is given: %d a second', (qps, burst) => {
    const { send, sent } = budgetOf({ qps, burst: null });
    for (let count = 0; count < 10; count += 1) send('x');
    expect(sent.length).toBe(burst);
  });

  it('should not be late because of fractions', async () => {
    const { send, sent, clock } = budgetOf({ qps: 3, burst: 1 });
    for (let count = 0; count < 31; count += 1) send('x');
    await clock.advance(10_001);
    expect(sent.length).toBe(31);
  });

  it('should not keep urgent requests waiting', async () => {
    const { send, sent, clock } = budgetOf({ qps: 1, burst: 1 });
    send('a');
    send('b');
    send('urgent', undefined, true);
    await clock.advance(2000);
    expect(sent).toEqual(['a at 0', 'urgent at 0', 'b at 2000']);
  });

  it('should let go those that do not want to wait any longer', async () => {
    const { send, sent, clock, budget } = budgetOf({ qps: 1, burst: 1 });
    const controller = new AbortController();
    send('a');
    send('b', controller.signal);
    send('c', controller.signal);
    await clock.advance(500);
    controller.abort('enough');
    await clock.settle();
    expect(sent).toEqual(['a at 0', 'b enough at 500', 'c enough at 500']);
    expect(budget.size).toBe(0);
    expect(clock.pending).toBe(0);
    send('d', controller.signal);
    send('e');
    await clock.advance(500);
    expect(sent.slice(3)).toEqual(['d enough at 500', 'e at 1000']);
    expect(getEventListeners(controller.signal, 'abort').length).toBe(0);
  });
});

describe('requests with a budget', () => {
  it('should count requests, their retries, and streams', async () => {
    const times: string[] = [];
    const server = scriptedApi(
      ({ path }, index) => {
        times.push(`${path} ${server.clock.monotonic()}`);
        return index === 0 ? { status: 500 } : {};
      },
      { qps: 1, burst: 1, errorBackoffs: [0] },
    );
    const { api, clock } = server;
    const done = Promise.all([api.get('/a'), api.stream('/b'), api.get('/c')]);
    await clock.runUntil(done);
    expect(times.sort()).toEqual(['/a 0', '/a 3000', '/b 1000', '/c 2000']);
  });

  it('should not spend the time limit of a request on waiting', async () => {
    const { api, clock } = scriptedApi(() => ({ json: {} }), { qps: 0.01, burst: 1, requestTimeout: 5 });
    await expect(clock.runUntil(Promise.all([api.get('/a'), api.get('/b')]))).resolves.toEqual([{}, {}]);
    expect(clock.monotonic()).toBe(100_000);
  });
});
