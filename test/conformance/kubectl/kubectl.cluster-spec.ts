import { compareKubectl } from './comparison.js';

/** A sample; `npm run test:kubectl` runs all scenarios. */
describe('kubectl', () => {
  it.each([
    ['definitions', 200],
    ['reading', 35],
  ])(
    'should print the same with embedded-kube as with a real control plane: %s',
    { timeout: 300_000 },
    async (scenario, least) => {
      const { steps, differences } = await compareKubectl(scenario);
      expect(steps).toBeGreaterThan(least);
      expect(differences).toEqual([]);
    },
  );
});
