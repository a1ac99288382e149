import { setTimeout as pause } from 'node:timers/promises';
import { Mutate, PRESENT, Validate } from 'nestjs-kopf';
import { eventually } from '../support/time/eventually.js';
import { LocalOperator } from '../support/operators/local.operator.js';
import { StubAdmissionServer } from '../support/webhooks/reviews.js';
import { startSides, type AdmittingSide } from './admission.sides.js';
import { define } from '../support/clusters/cluster.access.js';

const KEX = 'kopfexamples.kopf.dev';
const KINDS = ['validating', 'mutating'] as const;
const managed = 'repair.kopf.dev';
/** In seconds; the interval of the refresh is a minute. */
const REPAIR_TIME = 3;

class Handlers {
  @Validate(KEX, {
    ignoreFailures: true,
    labels: { some: PRESENT },
    matchConditions: [{ name: 'a', expression: 'true' }],
  })
  check() {}

  @Mutate(KEX, { ignoreFailures: true, operations: ['CREATE', 'UPDATE'] })
  complete() {}
}

describe('managed configurations that others change', () => {
  let sides: readonly AdmittingSide[];

  beforeAll(async () => {
    sides = await startSides();
    for (const { user } of sides) await define(user);
  });

  afterAll(() => Promise.all((sides ?? []).map((side) => side.stop())));

  async function start({ kubeconfigPath }: AdmittingSide): Promise<LocalOperator> {
    // Nobody is there, but nobody has to be.
    const server = new StubAdmissionServer({ service: { namespace: 'default', name: 'nobody' }, caBundle: undefined });
    const operator = await LocalOperator.start(Handlers, {
      credentials: kubeconfigPath,
      admission: { managed, server },
    });
    onTestFinished(() => operator.stop());
    await operator.ready();
    return operator;
  }

  const read = ({ user }: AdmittingSide): Promise<any[]> =>
    Promise.all(
      KINDS.map((kind) =>
        user.get<any>(`/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations/${managed}`),
      ),
    );

  const isComplete = async (side: AdmittingSide): Promise<boolean> =>
    (await read(side)).every((each) => each?.webhooks?.length === 1 && each.webhooks[0].failurePolicy === 'Ignore');

  it.each(['real', 'embedded'])('should be repaired at once, and written no more than that: %s', async (name) => {
    const side = sides.find((each) => each.name === name)!;
    const [first, second] = [await start(side), await start(side)];
    await eventually('they are written', () => isComplete(side));
    await pause(500);
    const revisionsOf = async () => (await read(side)).map(({ metadata }) => metadata.resourceVersion);
    const revisions = await revisionsOf();
    await pause(1500);
    expect(await revisionsOf()).toEqual(revisions);

    await first.stop();
    await eventually('the other replica has repaired them', () => isComplete(side), REPAIR_TIME);
    for (const kind of KINDS) {
      const object = `${kind}webhookconfiguration/${managed}`;
      const change = '[{"op":"replace","path":"/webhooks/0/failurePolicy","value":"Fail"}]';
      expect(await side.kubectl.run(['patch', object, '--type=json', '-p', change])).toContain('patched');
      await eventually('they are as they were', () => isComplete(side), REPAIR_TIME);
      expect(await side.kubectl.run(['delete', object])).toContain('deleted');
      await eventually('they are there again', () => isComplete(side), REPAIR_TIME);
    }
    expect(second.logger.messages('warn', 'error')).toEqual([]);
    await second.stop();
    expect((await read(side)).map(({ webhooks = [] }) => webhooks)).toEqual([[], []]);
  });
});
