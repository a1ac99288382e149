import { compareKubectl } from './comparison.js';

describe('kubectl', () => {
  it('should print the same with embedded-kube as with a real control plane', { timeout: 300_000 }, async () => {
    const { steps, differences } = await compareKubectl('definitions');
    expect(steps).toBeGreaterThan(100);
    expect(differences).toEqual([]);
  });
});
