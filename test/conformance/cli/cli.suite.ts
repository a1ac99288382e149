import { Injectable } from '@nestjs/common';
import { OnCreate, KopfOperator } from 'nestjs-kopf';
import { filter, firstValueFrom } from 'rxjs';
import { KopfCommand } from '../../support/kopf.command.js';
import { LocalOperator } from '../../support/local.operator.js';
import { CLUSTER_PEERINGS } from '../../support/cluster.access.js';
import type { TestCluster } from '../test.cluster.js';

const PEERINGS = (namespace: string): string => `/apis/kopf.dev/v1/namespaces/${namespace}/kopfpeerings`;

@Injectable()
class ExampleOperator {
  @OnCreate('kopfexamples.kopf.dev')
  create() {}
}

/** Describes what the commands do, whichever API server they talk to. It has the example's CRD and the peering `default`. */
export function describeCommands(title: string, start: () => Promise<TestCluster>): void {
  describe(title, () => {
    let cluster: TestCluster;
    let kopf: KopfCommand;

    beforeAll(async () => {
      cluster = await start();
      kopf = new KopfCommand(cluster.credentials);
    }, 120_000);

    afterAll(async () => {
      kopf.remove();
      await cluster.stop();
    });

    describe('freeze and resume', () => {
      const read = async (path: string): Promise<any> => (await cluster.user.get(path))?.status ?? {};

      it('should pause an operator, and let it go on', async () => {
        const operator = await LocalOperator.start(ExampleOperator, { credentials: cluster.credentials });
        const { pauseStatus$ } = operator.get(KopfOperator);
        const paused = (value: boolean) =>
          firstValueFrom(pauseStatus$.pipe(filter((status) => status.paused === value)));
        try {
          await operator.ready();
          const freeze = ['freeze', '--peering=default', '--lifetime=60', '--id=me', '--message=maintenance'];
          const frozen = await kopf.run(...freeze);
          expect(frozen).toMatchObject({ code: 0, err: '' });
          expect(frozen.out).toContain('Paused the operators of ClusterKopfPeering default for 60 seconds, as me.');
          await paused(true);
          expect((await read(`${CLUSTER_PEERINGS}/default`)).me).toEqual({
            priority: 100,
            lifetime: 60,
            lastseen: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/),
            message: 'maintenance',
          });
          const resumed = await kopf.run('resume', '-P', 'default', '-i', 'me');
          expect(resumed).toMatchObject({ code: 0, err: '' });
          expect(resumed.out).toContain('me does not pause the operators of ClusterKopfPeering default any more.');
          await paused(false);
          expect(await read(`${CLUSTER_PEERINGS}/default`)).not.toHaveProperty('me');
        } finally {
          await operator.stop();
        }
      });

      it('should name operators of a higher priority, which go on', async () => {
        const lastseen = new Date().toISOString();
        await cluster.user.patch(`${CLUSTER_PEERINGS}/default`, {
          status: { strong: { priority: 1000, lifetime: 60, lastseen } },
        });
        const { out } = await kopf.run('freeze', '-P', 'default', '-t', '9', '-i', 'me', '--dev');
        expect(out).toContain('strong goes on, as its priority is 1000, and yours is 666.');
        const { peerings } = await kopf.read('resume', '-P', 'default', '-i', 'me');
        expect(peerings).toMatchObject([{ kind: 'ClusterKopfPeering', exists: true, peers: [{ identity: 'strong' }] }]);
        await cluster.user.patch(`${CLUSTER_PEERINGS}/default`, { status: { strong: null } });
      });

      it('should use the peerings of the namespaces that are named or match', async () => {
        const body = { apiVersion: 'kopf.dev/v1', kind: 'KopfPeering', metadata: { name: 'default' } };
        for (const name of ['team-a', 'team-b']) {
          await cluster.user.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
        }
        await cluster.user.create(PEERINGS('team-a'), body);
        const { peerings } = await kopf.read('freeze', '-n', 'team-*', '-P', 'default', '-t', '60', '-i', 'me');
        expect(peerings).toMatchObject([
          { kind: 'KopfPeering', namespace: 'team-a', exists: true },
          { kind: 'KopfPeering', namespace: 'team-b', exists: false },
        ]);
        expect(await read(`${PEERINGS('team-a')}/default`)).toHaveProperty('me');
        expect(await kopf.run('resume', '-n', 'team-a', '-P', 'default', '-i', 'me')).toMatchObject({ code: 0 });
        expect(await read(`${PEERINGS('team-a')}/default`)).not.toHaveProperty('me');
        const missing = await kopf.run('freeze', '-n', 'team-b', '-P', 'default', '-t', '60', '-i', 'me');
        expect(missing).toMatchObject({ code: 1, out: '' });
        expect(missing.err).toContain('There is no KopfPeering team-b/default.');
      });

      it.each([
        ['no such peering', ['-P', 'other', '-t', '1'], 1, /There is no ClusterKopfPeering other\. .* to create it/],
        ['no namespace that matches', ['-P', 'a', '-t', '1', '-n', 'x-*'], 1, /No namespace matches x-\*\./],
        ['no such context', ['-P', 'a', '-t', '1', '--context', 'x'], 1, /context/],
        ['no such kubeconfig', ['-P', 'a', '-t', '1', '--kubeconfig', 'x'], 1, /No such kubeconfig: .*x/],
        ['no peering given', ['-t', '1'], 2, /The option -P, --peering <name> is missing\./],
        ['no lifetime given', ['-P', 'a'], 2, /The option -t, --lifetime <seconds> is missing\./],
        [
          'a wrong lifetime',
          ['-P', 'a', '-t', 'long'],
          2,
          /'long' is invalid.* It must be a whole number, at least 1\./,
        ],
        ['both scopes', ['-P', 'a', '-t', '1', '-A', '-n', 'x'], 2, /not both/],
        ['both levels', ['-P', 'a', '-t', '1', '-q', '-v'], 2, /not both/],
      ])('should fail with %s', async (_what, args, code, message) => {
        const outcome = await kopf.run('freeze', ...args);
        expect(outcome).toMatchObject({ code, out: '' });
        expect(outcome.err).toMatch(message);
      });

      it('should take options from the environment, as Kopf does', async () => {
        const variables = { KOPF_FREEZE_PEERING: 'default', KOPF_FREEZE_LIFETIME: '60', KOPF_FREEZE_ID: 'me' };
        const { out } = await kopf.start(['freeze', '-o', 'json'], { ...variables, KOPF_FREEZE_DEV: 'yes' }).outcome;
        expect(JSON.parse(out)).toMatchObject({ identity: 'me', priority: 666, lifetime: 60 });
        await kopf.run('resume', '-P', 'default', '-i', 'me');
        const wrong = await kopf.start(['freeze'], { ...variables, KOPF_FREEZE_LIFETIME: 'long' }).outcome;
        expect(wrong).toMatchObject({
          code: 2,
          err: expect.stringContaining('KOPF_FREEZE_LIFETIME is wrong: "long".'),
        });
      });
    });
  });
}
