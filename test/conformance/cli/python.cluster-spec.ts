import { join } from 'node:path';
import { TestProcess } from '../../support/programs/child.process.js';
import { administrator, credentialsOf, define, definePeering } from '../../support/clusters/cluster.access.js';
import type { ClusterUser } from '../../support/clusters/cluster.user.js';
import { startControlPlane, type ControlPlane } from '../../support/clusters/control-plane.js';
import { eventually } from '../../support/time/eventually.js';
import { KopfCommand } from '../../support/programs/kopf.command.js';
import { installPythonKopf } from '../../support/operators/python.kopf.js';
import { checkSituations } from './explained.situations.js';

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';

describe("the commands with an operator of Python's Kopf", () => {
  let cluster: ControlPlane;
  let user: ClusterUser;
  let kopf: KopfCommand;
  let python: string;

  beforeAll(async () => {
    python = await installPythonKopf();
    cluster = await startControlPlane({ controllers: false });
    user = administrator(cluster);
    await define(user);
    await definePeering(user);
    kopf = new KopfCommand(credentialsOf(cluster));
  }, 300_000);

  afterAll(async () => {
    kopf?.remove();
    await user?.close();
    await cluster?.stop();
  });

  it('should pause it and let it go on, and explain what it has left', { timeout: 120_000 }, async () => {
    const script = join(import.meta.dirname, 'fixtures/retried_operator.py');
    const args = ['-m', 'kopf', 'run', '--all-namespaces', '--peering', 'default', '--verbose', script];
    const operator = new TestProcess(python, args, { KUBECONFIG: cluster.kubeconfigPath });
    const logged = (text: string) =>
      eventually(text, () => {
        operator.check();
        return operator.output.includes(text);
      });
    const codes = async (): Promise<string[]> => {
      const { findings } = await kopf.read('explain', 'kopfexample/of-python');
      return findings.map(({ code }: { code: string }) => code);
    };
    try {
      await logged('Keep-alive in');
      await kopf.run('freeze', '--peering=default', '--lifetime=60', '--id=me', '--message=maintenance');
      await logged('Pausing operations in favour of');
      const body = {
        apiVersion: 'kopf.dev/v1',
        kind: 'KopfExample',
        metadata: { name: 'of-python' },
        spec: { mode: 'waiting' },
      };
      await user.create(OBJECTS, body);
      expect(await codes()).toEqual(['never-handled', 'peers-pause']);
      await kopf.run('resume', '--peering=default', '--id=me');
      await logged('Resuming operations after the pause');
      await eventually('the creation waits', async () => (await codes()).includes('handler-waits'));
      const { state, finalizers } = await kopf.read('explain', 'kopfexample/of-python');
      expect(state).toMatchObject([
        {
          prefix: 'kopf.zalando.org',
          progress: [{ id: 'retried', state: 'waiting', attempts: 1, message: 'not yet' }],
        },
      ]);
      expect(finalizers).toEqual([{ name: 'kopf.zalando.org/KopfFinalizerMarker', owner: 'operator' }]);
      await user.delete(`${OBJECTS}/of-python`);
      await eventually('the deletion waits', async () => (await codes()).includes('deletion-waits-for-handlers'));
      await checkSituations(kopf, user, operator);
    } finally {
      await operator.stop();
    }
    expect(await kopf.run('release', 'kopfexamples', 'of-python', '--yes')).toMatchObject({ code: 0, err: '' });
    expect(await user.get(`${OBJECTS}/of-python`)).toBeUndefined();
  });
});
