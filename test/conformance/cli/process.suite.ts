import type { KubeObject } from 'nestjs-kopf';
import { eventually } from '../../support/time/eventually.js';
import { buildLibraries, KopfProject, type KopfProcess } from '../../support/programs/kopf.project.js';
import type { TestCluster } from '../test.cluster.js';

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

const OPERATOR = `
import { Injectable } from '@nestjs/common';
import { AdmissionError, OnCreate, OnStartup, Validate, type AdmissionContext, type ChangeContext } from 'nestjs-kopf';

@Injectable()
export class WaitingOperator {
  @OnCreate('kopfexamples.kopf.dev', { labels: { wait: 'yes' } })
  async wait({ logger }: ChangeContext) {
    logger.log('It waits.');
    await new Promise((resolve) => setTimeout(resolve, 3_600_000));
  }
}
`;

const REVIEWER = `
import { AdmissionError, Validate, type AdmissionContext } from 'nestjs-kopf';

export class ReviewingOperator {
  @Validate('kopfexamples.kopf.dev', { labels: { reviewed: 'yes' }, persistent: true })
  check({ spec }: AdmissionContext) {
    if (spec.size < 0) throw new AdmissionError('The size is negative.');
  }
}
`;

/** A command line, its exit code, what it prints, and what it prints as an error. */
type Row = readonly [line: string, code: number, out: RegExp, err: RegExp];

const ROWS: readonly Row[] = [
  ['--version', 0, /^\d+\.\d+\.\d+\n$/, /^$/],
  ['nonsense', 2, /^$/, /unknown command 'nonsense'/],
  ['run broken.ts', 1, /^$/, /broken\.ts cannot be loaded: broken\.ts:1:7: Variable declaration expected\./],
  ['dev operator.ts --context test', 2, /^$/, /The context test is for https:.* --allow-context test/],
  ['dev --clean --context test', 0, /^There is nothing to remove\.\n$/, /^$/],
  ['freeze -P none -t 1', 1, /^$/, /There is no ClusterKopfPeering none\./],
  ['resume -P default -i nobody -o yaml', 0, /^identity: nobody\n/, /^$/],
  ['explain kopfexample/none', 1, /^$/, /There is no KopfExample none in the namespace default\./],
  ['explain kopfexample/calm -m operator.ts -o yaml', 0, /code: not-selected\n[^]*key: wait\n/, /^$/],
  ['release kopfexamples --all -o json', 0, /"dryRun": true/, /^$/],
  ['migrate status kopfexamples', 0, /^kopfexamples\.kopf\.dev\n {2}objects: \d+/, /^$/],
  [
    'manifests operator.ts --name test -o yaml',
    0,
    /kind: ClusterRole/,
    /'kopfexamples\.kopf\.dev' is not known: .*give its CRD/,
  ],
  [
    'verify operator.ts --name test --cluster',
    1,
    /^missing: No rule permits to list, watch, patch kopfexamples\.kopf\.dev/,
    /give its CRD/,
  ],
  ['completion fish', 0, /^complete -c kopf/, /^$/],
];

/** Describes the commands as processes, whichever API server they talk to. It has the example's CRD and the peering `default`. */
export function describeProcesses(title: string, start: () => Promise<TestCluster>): void {
  describe(title, () => {
    let cluster: TestCluster;
    let project: KopfProject;

    const create = (name: string, labels: object = {}, spec: object = {}): Promise<KubeObject> => {
      const body = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name, labels }, spec };
      return cluster.user.create(OBJECTS, body);
    };
    const configurations = async (): Promise<any[]> => ((await cluster.user.get(CONFIGURATIONS)) as any).items;
    const webhooks = async (): Promise<any[]> => (await configurations()).flatMap((each) => each.webhooks ?? []);

    beforeAll(async () => {
      [cluster] = await Promise.all([start(), buildLibraries()]);
      project = new KopfProject(cluster.credentials);
      project.write('operator.ts', OPERATOR);
      project.write('reviewer.ts', REVIEWER);
      project.write('broken.ts', 'const = 1;\n');
      await create('calm');
    }, 180_000);

    afterAll(async () => {
      project?.remove();
      await cluster?.stop();
    });

    // Two at a time, as there are cores: each process takes about half a second of one.
    const running = new Map<string, ReturnType<KopfProject['run']>>();
    const startNext = (index: number): void => {
      for (const [line] of ROWS.slice(index, index + 2)) {
        if (!running.has(line)) running.set(line, project.run(...line.split(' ')));
      }
    };

    it.each(ROWS.map((row, index) => [...row, index] as const))(
      'should answer kopf %s',
      async (line, code, out, err, index) => {
        startNext(index);
        const outcome = await running.get(line)!;
        expect(outcome).toMatchObject({ code });
        expect(outcome.out).toMatch(out);
        expect(outcome.err).toMatch(err);
      },
    );

    it('should run an operator that finishes its handlers at the first signal, and ends at once at the second', async () => {
      const operator = project.start('run', 'operator.ts', '--standalone', '--log-format', 'plain');
      await operator.line(/The operator is ready/);
      await create('waiting', { wait: 'yes' });
      await operator.line(/It waits\./);
      void operator.signal('SIGINT');
      await operator.line(/The operator stops on SIGINT/);
      const outcome = await operator.signal('SIGINT');
      expect(outcome).toMatchObject({ code: 130, err: expect.stringContaining('Stopped by a second SIGINT') });
      await cluster.user.patch(`${OBJECTS}/waiting`, { metadata: { finalizers: null } });
    });

    it('should end though a handler never returns', async () => {
      const operator = project.start('run', 'operator.ts', '--standalone', '--log-format', 'plain');
      await operator.line(/The operator is ready/);
      await create('waiting-too', { wait: 'yes' });
      await operator.line(/It waits\./);
      const { code, out } = await operator.signal('SIGTERM');
      expect([code, out]).toEqual([0, expect.stringContaining('Some handlers are still running')]);
      await cluster.user.patch(`${OBJECTS}/waiting-too`, { metadata: { finalizers: null } });
    });

    describe('dev on the cluster', () => {
      const args = [
        'reviewer.ts',
        '--context',
        'test',
        '--allow-context',
        'te*',
        '--webhooks',
        '127.0.0.1',
        '-o',
        'json',
      ];
      let dev: KopfProcess;
      let pid: number;

      async function develop(): Promise<void> {
        dev = project.start('dev', ...args);
        ({ pid } = await dev.event('starting'));
        await dev.event('started');
        await eventually('there is a webhook', async () => (await webhooks()).length === 1);
      }

      afterEach(() => dev.signal('SIGKILL'));

      it('should remove what an earlier session has left, and leave nothing when it is killed, as the operator notices', async () => {
        const labels = { 'app.kubernetes.io/managed-by': 'kopf-dev' };
        const annotations = { 'kopf.dev/dev-owner': 'other@elsewhere', 'kopf.dev/dev-until': '2020-12-31T23:59:59Z' };
        const left = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' };
        await cluster.user.create(CONFIGURATIONS, {
          ...left,
          metadata: { name: 'left.dev.kopf.dev', labels, annotations },
        });
        await develop();
        const refused = await eventually('the webhook is called', () =>
          create('small', { reviewed: 'yes' }, { size: -1 }).then(() => undefined, String),
        );
        expect(refused).toContain('The size is negative.');
        await eventually('they are marked', async () => (await configurations()).every(isMarked));
        expect((await configurations()).map(({ metadata }) => metadata.name)).not.toContain('left.dev.kopf.dev');
        await dev.signal('SIGKILL');
        await eventually('the webhook has gone', async () => (await webhooks()).length === 0);
      });

      it('should let requests pass when the operator is killed, too, and be cleaned up', async () => {
        await develop();
        await eventually('they are marked', async () => (await configurations()).every(isMarked));
        const ended = dev.signal('SIGKILL');
        process.kill(pid, 'SIGKILL');
        await ended;
        expect(await webhooks()).toMatchObject([{ failurePolicy: 'Ignore' }]);
        expect(await create('smallest', { reviewed: 'yes' }, { size: -2 })).toBeDefined();
        const { code, out } = await project.run('dev', '--clean', '--context', 'test', '-o', 'json');
        expect([code, JSON.parse(out).removed.length]).toEqual([0, 2]);
        expect(await configurations()).toEqual([]);
      });
    });
  });
}

function isMarked({ metadata }: KubeObject): boolean {
  return metadata.labels?.['app.kubernetes.io/managed-by'] === 'kopf-dev';
}
