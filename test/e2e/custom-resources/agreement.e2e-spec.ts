import { DEFINITIONS, UnexpectedStatusError } from '../../support/cluster.user.js';
import { OperatorHarness } from '../../support/operator.harness.js';
import { compareValidations } from '../../support/random.classes.js';

describe('class-validator and the API server', () => {
  it('should agree about random objects of random classes', async () => {
    const harness = await OperatorHarness.start({ definition: false });
    const result = await compareValidations(
      {
        define: async (definition) => void (await harness.send('POST', DEFINITIONS, definition)),
        ask: async (plural, object) => {
          const path = `/apis/example.com/v1/namespaces/ns/${plural}?dryRun=All`;
          try {
            await harness.send('POST', path, object);
            return undefined;
          } catch (error) {
            if (error instanceof UnexpectedStatusError && error.status === 422) return error.message;
            throw error;
          }
        },
      },
      { classes: 40, objects: 25 },
    );
    expect(result.disagreements).toEqual([]);
    expect(Math.min(result.accepted, result.refused)).toBeGreaterThan(40);
  });
});
