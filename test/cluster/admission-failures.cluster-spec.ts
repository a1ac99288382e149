import { join } from 'node:path';
import { bundleProgram, type Bundle } from '../support/programs/bundle.js';
import { TestProcess } from '../support/programs/child.process.js';
import { eventually } from '../support/time/eventually.js';
import { startSides, type AdmittingSide } from './admission.sides.js';
import { define } from '../support/clusters/cluster.access.js';

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1';
const managed = 'failures.kopf.dev';

describe('webhooks of an operator that is not there', () => {
  let bundle: Bundle;
  let sides: readonly AdmittingSide[];

  beforeAll(async () => {
    bundle = await bundleProgram(join(import.meta.dirname, 'fixtures/webhook.operator.ts'));
    sides = await startSides();
    for (const { user } of sides) await define(user);
  }, 300_000);

  afterAll(async () => {
    await Promise.all((sides ?? []).map((side) => side.stop()));
    bundle?.remove();
  });

  async function start(side: AdmittingSide, version: string): Promise<TestProcess> {
    const env = { KUBECONFIG: side.kubeconfigPath, MANAGED: managed, VERSION: version };
    const operator = new TestProcess(process.execPath, [bundle.path], env);
    onTestFinished(() => operator.kill());
    await eventually('the operator is asked', async () => {
      operator.check();
      return (await create(side, 'strict', { bad: true })).includes('It is bad.');
    });
    return operator;
  }

  let count = 0;

  /** Creates an object that is for one handler, or for none; gives what kubectl prints. */
  async function create({ kubectl }: AdmittingSide, handler: string, spec: object = {}): Promise<string> {
    const metadata = { name: `object-${count++}`, labels: { handler } };
    const output = await kubectl.run(['create', '-f', '-'], {
      apiVersion: 'kopf.dev/v1',
      kind: 'KopfExample',
      metadata,
      spec,
    });
    return output.replaceAll(metadata.name, 'object').replace(/127\.0\.0\.1:\d+/g, '<address>');
  }

  async function webhooksOf({ user }: AdmittingSide, kind: 'validating' | 'mutating'): Promise<readonly string[]> {
    const found = await user.get<any>(`${CONFIGURATIONS}/${kind}webhookconfigurations/${managed}`);
    return (found?.webhooks ?? []).map(({ name }: { name: string }) => name.replace(`.${managed}`, ''));
  }

  const unreachable = (handler: string): string =>
    `Error from server (InternalError): error when creating "STDIN": Internal error occurred: failed calling webhook "${handler}.${managed}": ` +
    `failed to call webhook: Post "https://<address>/${handler === 'persistentone' ? 'persistentOne' : handler}?timeout=30s": ` +
    'dial tcp <address>: connect: connection refused\n(exit code 1)';
  const created = 'kopfexample.kopf.dev/object created';

  it.each(['real', 'embedded'])(
    'should fail or be ignored after a crash, be cleaned up by the next start, and go with the operator: %s',
    { timeout: 120_000 },
    async (name) => {
      const side = sides.find((each) => each.name === name)!;
      const first = await start(side, '1');
      expect(await webhooksOf(side, 'validating')).toEqual(['strict', 'lenient', 'persistentone', 'former']);
      expect(await webhooksOf(side, 'mutating')).toEqual(['formerdefault']);
      expect(await create(side, 'lenient', { bad: true })).toMatch(/denied the request: It is bad/);
      expect(await create(side, 'former')).toBe(created);

      await first.kill();
      expect(await create(side, 'strict')).toBe(unreachable('strict'));
      expect(await create(side, 'persistent')).toBe(unreachable('persistentone'));
      expect(await create(side, 'lenient', { bad: true })).toBe(created);
      expect(await create(side, 'none', { bad: true })).toBe(created);
      expect(await webhooksOf(side, 'validating')).toHaveLength(4);

      const second = await start(side, '2');
      expect(await webhooksOf(side, 'validating')).toEqual(['strict', 'lenient', 'persistentone']);
      await eventually('there is no mutating webhook', async () => (await webhooksOf(side, 'mutating')).length === 0);
      expect(await create(side, 'former', { bad: true })).toBe(created);
      expect(await create(side, 'lenient', { bad: true })).toMatch(/denied the request: It is bad/);

      await second.stop();
      expect(await webhooksOf(side, 'validating')).toEqual(['persistentone']);
      expect(await create(side, 'strict', { bad: true })).toBe(created);
      expect(await create(side, 'persistent')).toBe(unreachable('persistentone'));
      const complaints = second.output.split('\n').filter((line) => /ERROR|WARN/.test(line));
      expect(complaints.filter((line) => !line.includes('It is bad.'))).toEqual([]);
    },
  );
});
