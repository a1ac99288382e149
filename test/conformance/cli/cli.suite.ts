import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { OnCreate, KopfOperator, type KubeObject } from 'nestjs-kopf';
import { filter, firstValueFrom } from 'rxjs';
import type { InspectedObject, ConsoleOverview, InspectedPage } from '../../../libs/kopf-console/src/console.api.js';
import { ConsoleVisitor } from '../../support/programs/console.visitor.js';
import { eventually } from '../../support/time/eventually.js';
import { findFreePort } from '../../support/programs/free.port.js';
import { KopfCommand, type RunningCommand } from '../../support/programs/kopf.command.js';
import { LocalOperator } from '../../support/operators/local.operator.js';
import { CLUSTER_PEERINGS } from '../../support/clusters/cluster.access.js';
import type { TestCluster } from '../test.cluster.js';
import { checkSituations } from './explained.situations.js';

const FIXTURES = join(import.meta.dirname, 'fixtures');
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

    describe('run', () => {
      const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
      const statusOf = async (name: string): Promise<any> =>
        (await cluster.user.get(`${OBJECTS}/${name}`))?.status?.note;

      function create(name: string, labels: object = {}): Promise<KubeObject> {
        const body = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name, labels }, spec: {} };
        return cluster.user.create(OBJECTS, body);
      }

      function start(file: string, ...args: readonly string[]): RunningCommand {
        const options = ['--kubeconfig', kopf.kubeconfig, '--log-format', 'plain', ...args];
        return kopf.start(['run', join(FIXTURES, file), ...options]);
      }

      it('should run the handlers of a class until the first signal, and answer probes', async () => {
        const port = await findFreePort();
        const command = start('note.operator.ts', '--standalone', '--liveness', `http://127.0.0.1:${port}/healthz`);
        await create('run-class');
        await eventually('the object is handled', async () => (await statusOf('run-class')) === 'seen run-class');
        const probe = await fetch(`http://127.0.0.1:${port}/healthz`);
        expect([probe.status, await probe.json()]).toEqual([200, { notebook: 'open' }]);
        expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
        command.signal('SIGTERM');
        expect(await command.outcome).toMatchObject({ code: 0, err: '' });
        expect(command.out).toContain('[default/run-class] Noted.\n');
      });

      it('should serve the console of the operator, with all actions', async () => {
        const command = start('note.operator.ts', '--standalone', '--console');
        try {
          const visitor = await ConsoleVisitor.open(command);
          await create('run-console');
          await eventually('the object is handled', async () => (await statusOf('run-console')) === 'seen run-console');
          const { items } = await visitor.read<InspectedPage<InspectedObject>>('objects?search=run-console');
          expect(items).toMatchObject([{ name: 'run-console', phase: 'idle' }]);
          expect(await visitor.read<ConsoleOverview>('overview')).toMatchObject({
            state: 'running',
            actions: expect.arrayContaining(['retry', 'pause']),
          });
          expect(await visitor.act('pause', { dryRun: false })).toMatchObject({ done: true });
        } finally {
          command.signal('SIGTERM');
        }
        expect(await command.outcome).toMatchObject({ code: 0 });
      });

      it('should put its options over those of a Nest module', async () => {
        const command = start('note.module.ts', '-A', '--dev', '--peering', 'default', '-l', 'run in (yes)');
        try {
          await create('run-without');
          await create('run-with', { run: 'yes' });
          await eventually('the object is handled', async () => (await statusOf('run-with')) === 'seen run-with');
          expect(await statusOf('run-without')).toBeUndefined();
          const peering = await cluster.user.get(`${CLUSTER_PEERINGS}/default`);
          expect(Object.values(peering?.status ?? {})).toEqual([expect.objectContaining({ priority: 666 })]);
        } finally {
          command.signal('SIGINT');
        }
        expect(await command.outcome).toMatchObject({ code: 0 });
      });

      it.each([
        ['no file', [], 2, /Name a file that exports a Nest module or classes with handlers\./],
        ['a missing file', ['none.ts'], 2, /There is no file none\.ts\./],
        ['a missing package', ['-m', 'none'], 2, /There is no module none: it is not installed/],
        ['a file without handlers', [join(FIXTURES, 'nothing.ts')], 1, /exports neither .* but ANSWER\./],
        ['a file that throws', [join(FIXTURES, 'failing.ts')], 1, /failing\.ts cannot be loaded: Out of order/],
        ['both scopes', ['a.ts', '-A', '-n', 'x'], 2, /not both/],
        ['a wrong selector', ['a.ts', '-l', 'a in b'], 2, /--selector is wrong/],
        ['a wrong address', ['a.ts', '-L', 'tcp://x'], 2, /--liveness must be a URL such as/],
        ['a wrong format', ['a.ts', '--log-format', 'xml'], 2, /Allowed choices are full, plain, json/],
        ['a wrong priority', ['a.ts', '-p', '1.5'], 2, /It must be a whole number\./],
        ['an unknown context', [join(FIXTURES, 'note.operator.ts'), '--context', 'x'], 1, /cannot start: .*context/],
      ])('should fail with %s', async (_what, args, code, message) => {
        const outcome = await kopf.run(
          'run',
          ...args,
          ...(args.includes('--log-format') ? [] : ['--log-format', 'plain']),
        );
        expect(outcome.code).toBe(code);
        expect(outcome.err).toMatch(message);
      });
    });

    describe('dev', () => {
      const file = join(FIXTURES, 'note.operator.ts');

      it.each([
        ['no file', [], 2, /Name a file that exports a Nest module or classes with handlers\./],
        ['a missing file', ['none.ts'], 2, /There is no file none\.ts\./],
        ['a missing manifest', [file, '--apply', 'none'], 2, /There is no file or folder none\./],
        ['a wrong way for webhooks', [file, '--webhooks', 'a/b'], 2, /--webhooks must be auto, off, ngrok/],
        ['an unknown context', [file, '--context', 'none'], 1, /has no context "none"/],
        ['a context of others', [file, '--context', 'test'], 2, /The context test is for https:.*--allow-context test/],
        ['a kubeconfig without a context', [file, '--kubeconfig', 'x'], 2, /--kubeconfig needs --context/],
        ['nothing to clean', ['--clean'], 2, /--clean needs --context/],
      ])('should fail with %s', async (_what, args, code, message) => {
        const outcome = await kopf.run('dev', ...args);
        expect(outcome).toMatchObject({ code, out: '' });
        expect(outcome.err).toMatch(message);
      });
    });

    describe('explain', () => {
      const FILE = join(FIXTURES, 'filtered.operator.ts');
      const path = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';

      it('should tell what waits, what has failed, and which filter excludes a handler', async () => {
        const metadata = { name: 'explained', labels: { tier: 'cache' } };
        await cluster.user.create(path, {
          apiVersion: 'kopf.dev/v1',
          kind: 'KopfExample',
          metadata,
          spec: { size: 1 },
        });
        expect(await kopf.read('explain', 'kopfexample/explained')).toMatchObject({
          object: { kind: 'KopfExample', namespace: 'default', name: 'explained' },
          state: [],
          findings: [{ code: 'never-handled' }],
        });
        const operator = kopf.start([
          'run',
          FILE,
          '--standalone',
          '--log-format=plain',
          '--kubeconfig',
          kopf.kubeconfig,
        ]);
        await eventually('both handlers were called', async () => {
          const { findings } = await kopf.read('explain', 'kopfexample/explained');
          return findings.length === 2 && findings.every(({ code }: { code: string }) => code !== 'handler-begun');
        });
        operator.signal('SIGTERM');
        await operator.outcome;
        const { findings, handlers, reason } = await kopf.read('explain', 'kopfexamples', 'explained', '-m', FILE);
        expect(reason).toBe('create');
        expect(findings).toMatchObject([
          {
            code: 'handler-failed',
            text: expect.stringMatching(/^The handler hopeless has failed for good at \S+, after 1 attempt: never$/),
          },
          {
            code: 'handler-waits',
            text: expect.stringMatching(
              /^The next attempt of the handler retried is due at \S+Z, after 1 attempt: not yet$/,
            ),
          },
        ]);
        const excluded = Object.fromEntries(handlers.map(({ id, exclusion }: any) => [id, exclusion]));
        expect(excluded).toEqual({
          retried: undefined,
          hopeless: undefined,
          labelled: { filter: 'labels', key: 'app', wanted: 'web' },
          annotated: { filter: 'annotations', key: 'note', wanted: 'PRESENT' },
          selected: { filter: 'selector', wanted: 'tier!=cache', actual: { tier: 'cache' } },
          large: { filter: 'when', wanted: 'the callback when' },
          'colored/spec.color': { filter: 'field', key: 'spec.color', wanted: 'PRESENT' },
          updated: { filter: 'reason', wanted: 'update', actual: 'create' },
          resumed: { filter: 'reason', wanted: 'the start of an operator', actual: 'create' },
          'watched/spec.daemon': { filter: 'field', key: 'spec.daemon', wanted: true },
        });
        const { out } = await kopf.run('explain', 'kopfexample/explained', '-m', FILE);
        expect(out).toContain(
          '  not called  create labelled (FilteredOperator.labelled): labels app must be web, and is absent',
        );
      });

      it('should name the handlers of an operator whose resource the cluster does not have', async () => {
        await cluster.user.create('/apis/kopf.dev/v1/namespaces/default/kopfexamples', {
          apiVersion: 'kopf.dev/v1',
          kind: 'KopfExample',
          metadata: { name: 'mistyped' },
        });
        const file = join(FIXTURES, 'mistyped.operator.ts');
        const { findings } = await kopf.read('explain', 'kopfexample/mistyped', '-m', file);
        expect(findings).toContainEqual({
          code: 'resource-not-served',
          text:
            'Handlers for kopfexmples.kopf.dev are not called: the cluster has no such resource; did you mean kopfexamples.kopf.dev? ' +
            'Named by MistypedOperator.mistyped.',
          evidence: 'MistypedOperator.mistyped',
          remedy: 'The CustomResourceDefinition of the resource, or another name in the decorator.',
          problem: true,
        });
      });

      it('should explain ten situations', async () => {
        const file = join(FIXTURES, 'situations.operator.ts');
        const options = ['--standalone', '--kubeconfig', kopf.kubeconfig, '--log-format', 'plain'];
        const operator = kopf.start(['run', file, ...options, '-l', 'situation']);
        const stop = async (): Promise<void> => {
          operator.signal('SIGTERM');
          await operator.outcome;
        };
        await checkSituations(kopf, cluster.user, { stop });
      });

      it('should tell why an object is not deleted', async () => {
        const finalizers = ['kopf.zalando.org/KopfFinalizerMarker', 'example.com/other'];
        const metadata = { name: 'blocked', finalizers };
        await cluster.user.create(path, { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata, spec: {} });
        await cluster.user.delete(`${path}/blocked`);
        const { findings } = await kopf.read('explain', 'kopfexample/blocked');
        expect(findings).toMatchObject([
          { code: 'deletion-without-operator', evidence: 'metadata.finalizers' },
          { code: 'deletion-blocked-by-others', text: expect.stringContaining('example.com/other') },
        ]);
        await cluster.user.patch(`${path}/blocked`, { metadata: { finalizers: null } });
      });

      it.each([
        ['no object', ['kex'], 2, /Name one object, as RESOURCE\/NAME or RESOURCE NAME, not "kex"\./],
        ['nothing', [], 2, /missing required argument 'object'/],
        ['several objects', ['kex', 'a', 'b'], 2, /Name one object/],
        ['an unknown resource', ['none/a'], 1, /The API server has no resource none\./],
        ['an unknown object', ['kopfexample/none'], 1, /There is no KopfExample none in the namespace default\./],
        ['a missing file', ['kopfexample/none', '-m', 'none.ts'], 2, /There is no file none\.ts\./],
      ])('should fail with %s', async (_what, args, code, message) => {
        const outcome = await kopf.run('explain', ...args);
        expect(outcome).toMatchObject({ code, out: '' });
        expect(outcome.err).toMatch(message);
      });
    });

    describe('release and migrate', () => {
      const path = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
      const annotations = {
        'kopf.zalando.org/last-handled-configuration': '{"spec":{}}\n',
        'kopf.zalando.org/create': '{"started":"2020-12-31T23:59:59.000000+00:00","retries":1,"purpose":"create"}',
        'example.com/other': 'stays',
      };
      const finalizers = ['kopf.zalando.org/KopfFinalizerMarker', 'example.com/other'];

      async function prepare(name: string): Promise<void> {
        const metadata = { name, labels: { release: 'yes' }, annotations, finalizers };
        const status = { kopf: { progress: { create: { started: '2020-12-31T23:59:59', retries: 1 } } }, other: 1 };
        await cluster.user.create(path, { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata, spec: {} });
        await cluster.user.patch(`${path}/${name}`, { status });
      }

      it('should release webhooks that sessions of kopf dev have left, and leave those of others and of running ones', async () => {
        const group = '/apis/admissionregistration.k8s.io/v1';
        const [validating, mutating] = ['validating', 'mutating'].map(
          (kind) => `${group}/${kind}webhookconfigurations`,
        );
        const mark = (until: string, owner = 'me@laptop'): object => ({
          labels: { 'app.kubernetes.io/managed-by': 'kopf-dev' },
          annotations: { 'kopf.dev/dev-owner': owner, 'kopf.dev/dev-until': until },
        });
        const [past, future] = ['2020-01-01T00:00:00Z', '2100-01-01T00:00:00Z'];
        await cluster.user.create(validating, { metadata: { name: 'left', ...mark(past) } });
        await cluster.user.create(mutating, { metadata: { name: 'left', ...mark(past) } });
        await cluster.user.create(validating, { metadata: { name: 'running', ...mark(future, 'you@laptop') } });
        await cluster.user.create(validating, { metadata: { name: 'foreign' } });
        const names = async (): Promise<readonly (string | undefined)[]> => {
          const found = [...(await cluster.user.list(validating)), ...(await cluster.user.list(mutating))];
          return found.map(({ metadata }) => metadata.name).filter((name) => /left|running|foreign/.test(String(name)));
        };
        const left = { name: 'left', owner: 'me@laptop', until: past, expired: true };
        const running = { kind: 'ValidatingWebhookConfiguration', name: 'running', expired: false, released: false };
        const shown = await kopf.read('release', '--webhooks');
        expect(shown).toMatchObject({
          dryRun: true,
          webhooks: [
            { ...left, kind: 'ValidatingWebhookConfiguration', released: false },
            running,
            { ...left, kind: 'MutatingWebhookConfiguration', released: false },
          ],
        });
        expect(await names()).toEqual(['foreign', 'left', 'running', 'left']);
        const { out, code } = await kopf.run('release', '--webhooks', '--yes');
        expect(code).toBe(0);
        expect(out).toContain(`stays: the session of you@laptop has it until ${future}`);
        expect(await names()).toEqual(['foreign', 'running']);
        expect(await kopf.run('release')).toMatchObject({ code: 2, err: expect.stringContaining('or --webhooks') });
        expect((await kopf.run('release', 'evc', '--webhooks')).code).toBe(2);
      });

      it('should show what there is to release, and what a successor would take over', async () => {
        await prepare('released-1');
        await prepare('released-2');
        const { resources } = await kopf.read('migrate', 'status', 'kopfexamples');
        expect(resources).toMatchObject([
          { resource: 'kopfexamples.kopf.dev', operators: [{ prefix: 'kopf.zalando.org' }] },
        ]);
        expect(resources[0].finalizers).toBeGreaterThanOrEqual(2);
        expect(resources[0].operators[0].inProgress).toBeGreaterThanOrEqual(2);
        const { dryRun, objects } = await kopf.read('release', 'kopfexamples', '-l', 'release=yes');
        expect(dryRun).toBe(true);
        const expected = {
          finalizers: ['kopf.zalando.org/KopfFinalizerMarker'],
          annotations: Object.keys(annotations).slice(0, 2).sort(),
          status: ['kopf'],
          released: false,
        };
        expect(objects.map((each: any) => ({ ...each, annotations: each.annotations.sort() }))).toMatchObject([
          { name: 'released-1', ...expected },
          { name: 'released-2', ...expected },
        ]);
        expect((await cluster.user.get(`${path}/released-1`))?.metadata.finalizers).toEqual(finalizers);
      });

      it('should release objects, and leave alone what is not of operators', async () => {
        const { code, out } = await kopf.run('release', 'kopfexamples', 'released-1', '--yes');
        expect([code, out]).toEqual([0, expect.stringContaining('finalizer kopf.zalando.org/KopfFinalizerMarker')]);
        const { metadata, status } = (await cluster.user.get(`${path}/released-1`))!;
        expect(metadata.finalizers).toEqual(['example.com/other']);
        expect(metadata.annotations).toEqual({ 'example.com/other': 'stays' });
        expect(status).toEqual({ other: 1 });
        const again = await kopf.run('release', 'kopfexamples', 'released-1', '--yes');
        expect(again).toMatchObject({ code: 0, out: 'No object has anything of an operator.\n' });
      });

      it('should let an object go that is being deleted', async () => {
        await cluster.user.delete(`${path}/released-2`);
        const args = [
          'release',
          'kopfexamples',
          'released-2',
          '--finalizer',
          'example.com/other',
          '--only',
          'finalizers',
        ];
        const { out } = await kopf.run(...args, '-y');
        expect(out).toContain('It is being deleted: its handlers are not called any more.');
        expect(await cluster.user.get(`${path}/released-2`)).toBeUndefined();
        await cluster.user.patch(`${path}/released-1`, { metadata: { finalizers: null } });
      });

      it.each([
        ['no objects', ['release', 'kopfexamples'], 2, /Name objects, or select them by --selector or --all\./],
        ['names and a selector', ['release', 'kopfexamples', 'a', '-l', 'b'], 2, /Only one of names/],
        ['names in all namespaces', ['release', 'kopfexamples', 'a', '-A'], 2, /use --namespace/],
        ['both scopes', ['release', 'kopfexamples', '--all', '-A', '-n', 'b'], 2, /not both/],
        ['an unknown resource', ['release', 'none', '--all'], 1, /has no resource none/],
        ['an unknown object', ['release', 'kopfexamples', 'none', '--yes'], 1, /There is no KopfExample none/],
        [
          'a wrong part',
          ['release', 'kopfexamples', 'a', '--only', 'b'],
          2,
          /Allowed choices are finalizers, annotations/,
        ],
        ['an unknown action', ['migrate', 'away'], 2, /Allowed choices are status/],
        ['an unknown resource to migrate', ['migrate', 'status', 'none'], 1, /has no resource none/],
      ])('should fail with %s', async (_what, args, code, message) => {
        const outcome = await kopf.run(...args);
        expect(outcome).toMatchObject({ code, out: '' });
        expect(outcome.err).toMatch(message);
      });
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
        expect(out).toContain('strong continues, as its priority is 1000, and yours is 666.');
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
