import { compareServers } from './comparison.js';
import { failureReasons, summarise } from './report.js';

describe('the API of embedded-kube', () => {
  it('should answer a sample of the cases as a real control plane does, and almost all random requests and histories', async () => {
    const result = await compareServers({ every: 6, requests: 300, histories: 100, seed: 1 });
    expect(failureReasons(result), summarise(result, 20).join('\n')).toEqual([]);
  });
});
