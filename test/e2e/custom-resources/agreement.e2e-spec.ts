import { CustomResource, customResourceDefinition } from 'nestjs-kopf/crd';
import { DEFINITIONS, UnexpectedStatusError } from '../../support/clusters/cluster.user.js';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { compareValidations } from '../../support/generators/random.classes.js';
import { evaluateSpecs, LIBRARY_SCHEMAS } from '../../support/objects/schema.libraries.js';

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
            if (error instanceof UnexpectedStatusError && [400, 422].includes(error.status)) return error.message;
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

describe.each(LIBRARY_SCHEMAS)('%s and the API server', (kind, schema) => {
  it('should agree about objects', async () => {
    @CustomResource({ group: 'example.com', kind, plural: 'disks', spec: schema })
    class Disk {}
    const harness = await OperatorHarness.start({ definition: false });
    await harness.send('POST', DEFINITIONS, customResourceDefinition(Disk));
    for await (const [spec, isValid] of evaluateSpecs(schema)) {
      const object = { apiVersion: 'example.com/v1', kind, metadata: { name: 'a' }, spec };
      const sending = harness.send('POST', '/apis/example.com/v1/namespaces/ns/disks?dryRun=All', object);
      const isAccepted = await sending.then(
        () => true,
        () => false,
      );
      expect([spec, isAccepted]).toEqual([spec, isValid]);
    }
  });
});
