import { compareServers } from './comparison.js';
import { summarise, unexplained } from './report.js';

describe('the API of embedded-kube', () => {
  it('should answer a sample of the cases as a real control plane does, and most random requests and histories', async () => {
    const result = await compareServers({ every: 3, requests: 600, histories: 200, seed: 1 });
    const report = summarise(result, 20).join('\n');
    expect(
      unexplained(result).filter(({ id }) => !/^(random|history): /.test(id)),
      report,
    ).toEqual([]);
    const { equal, accepted, different } = result.answers;
    expect(equal / (equal + accepted + different), report).toBeGreaterThan(0.8);
  });
});
