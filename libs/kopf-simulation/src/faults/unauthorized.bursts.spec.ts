import type { KubeRequest } from 'kube-common';
import { VirtualClock } from 'nestjs-kopf/testing';
import type { SimulationFault } from '../simulation.plan.js';
import { isShortBurst, UnauthorizedBursts } from './unauthorized.bursts.js';

type Burst = Extract<SimulationFault, { readonly kind: 'unauthorized' }>;

const BURST: Burst = { kind: 'unauthorized', afterChange: 1 };

function request(path = '/api/v1/pods'): KubeRequest {
  return { method: 'GET', path, headers: {} };
}

function burstsOf(given: Partial<Burst> = {}) {
  const clock = new VirtualClock();
  const fired = new Set<SimulationFault>();
  const bursts = new UnauthorizedBursts(clock, (fault) => void fired.add(fault));
  bursts.begin({ ...BURST, ...given });
  const answersTo = (...requests: readonly KubeRequest[]): readonly number[] =>
    requests.map((each) => bursts.answer(each)?.status ?? 0);
  return { clock, fired, bursts, answersTo };
}

describe('UnauthorizedBursts', () => {
  it('should answer all requests for some seconds', async () => {
    const { clock, answersTo } = burstsOf();
    await clock.advance(2999);
    expect(answersTo(request(), request('/apis'))).toEqual([401, 401]);
    await clock.advance(1);
    expect(answersTo(request())).toEqual([0]);
  });

  it('should answer a number of requests, however long it takes', async () => {
    const { clock, answersTo } = burstsOf({ times: 2 });
    await clock.advance(60_000);
    expect(answersTo(request(), request(), request())).toEqual([401, 401, 0]);
  });

  it('should answer those for one resource only, and happen with the first one', () => {
    const { answersTo, fired } = burstsOf({ resource: 'pods', times: 1 });
    expect(answersTo(request('/api/v1/nodes'), request('/apis'))).toEqual([0, 0]);
    expect(fired.size).toBe(0);
    expect(answersTo(request('/api/v1/namespaces/a/pods/b'), request())).toEqual([401, 0]);
    expect(fired.size).toBe(1);
  });

  it('should end with the faults', () => {
    const { bursts, answersTo } = burstsOf({ seconds: 60 });
    bursts.heal();
    expect(answersTo(request())).toEqual([0]);
  });

  it.each([
    [{}, true],
    [{ seconds: 5 }, true],
    [{ seconds: 6 }, false],
    [{ times: 5 }, true],
    [{ times: 6 }, false],
  ])('should know whether no leadership is to be lost by it: %j', (given, isShort) => {
    expect(isShortBurst({ ...BURST, ...given })).toBe(isShort);
  });
});
