import { conclude } from './load-test.js';

describe('The state of a load test', () => {
  it.each<[string, string[], number, string | undefined]>([
    ['no pod runs yet', [], 2, undefined],
    ['pods run', ['Pending', 'Running'], 2, undefined],
    ['one of two has succeeded', ['Succeeded', 'Running'], 2, undefined],
    ['one of two is known', ['Succeeded'], 2, undefined],
    ['all have succeeded', ['Succeeded', 'Succeeded'], 2, 'finished'],
    ['one has failed', ['Failed', 'Running'], 2, 'failed'],
    ['the last one has failed', ['Succeeded', 'Failed'], 2, 'failed'],
    ['one was deleted', ['Lost', 'Succeeded'], 2, 'failed'],
  ])('should be right when %s', (_when, phases, replicas, state) => {
    expect(conclude(phases, replicas)).toBe(state);
  });
});
