import { plainToInstance } from 'class-transformer';
import { validate } from 'class-validator';
import { CustomResource, customResourceDefinition } from 'nestjs-kopf';
import { SeededRandom } from 'nestjs-kopf/testing';
import { DEFINITIONS, UnexpectedStatusError } from '../../support/cluster.user.js';
import { OperatorHarness } from '../../support/operator.harness.js';
import { RandomClass } from '../../support/random.classes.js';

const CLASSES = 60;
const OBJECTS = 25;

describe('class-validator and the API server', () => {
  it('should agree about random objects of random classes', async () => {
    const harness = await OperatorHarness.start({ definition: false });
    const disagreements: unknown[] = [];
    let accepted = 0;
    for (let seed = 0; seed < CLASSES; seed += 1) {
      const random = new RandomClass(new SeededRandom(seed));
      const kind = `Random${seed}`;
      const plural = `randoms${seed}`;
      @CustomResource({ group: 'example.com', kind, plural, spec: random.type })
      class Example {}
      await harness.send('POST', DEFINITIONS, customResourceDefinition(Example));
      for (let index = 0; index < OBJECTS; index += 1) {
        const spec = random.createSpec();
        const errors = await validate(plainToInstance(random.type, spec), { forbidUnknownValues: false });
        const path = `/apis/example.com/v1/namespaces/ns/${plural}?dryRun=All`;
        const body = { apiVersion: 'example.com/v1', kind, metadata: { name: 'a' }, spec };
        const answer = await harness.send('POST', path, body).catch((error: unknown) => error);
        const isAccepted = !(answer instanceof UnexpectedStatusError);
        if (isAccepted) accepted += 1;
        if (isAccepted === (errors.length === 0)) continue;
        const rules = errors.map(({ constraints, children }) => constraints ?? children);
        disagreements.push({ seed, spec, rules, answer: isAccepted ? 'accepted' : String(answer).slice(0, 300) });
      }
    }
    expect(disagreements).toEqual([]);
    expect(accepted).toBeGreaterThan(100);
    expect(accepted).toBeLessThan(CLASSES * OBJECTS - 100);
  });
});
