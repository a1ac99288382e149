import { Injectable } from '@nestjs/common';
import { OnCreate, OnDelete, PermanentError, TemporaryError, type ChangeContext } from 'nestjs-kopf';
import { ClusterActions } from '../../../libs/kopf-console/src/actions/cluster.actions.js';
import type { ClusterInspection } from '../../../libs/kopf/src/inspection/cluster/cluster.inspection.js';
import type { OperatorEvent } from '../../../libs/kopf/src/inspection/event-log/operator.event.js';
import { observeCluster } from '../../support/operators/observed.cluster.js';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

const RESOURCE = 'kopfexamples.kopf.dev';
const SIGNAL = new AbortController().signal;

@Injectable()
class ExampleOperator {
  @OnCreate(...KEX)
  create({ spec, name }: ChangeContext<any>) {
    if (spec.mode === 'waiting') throw new TemporaryError(`no disk 7 for ${name}`, { delay: 600 });
    if (spec.mode === 'hopeless') throw new PermanentError('never');
  }

  @OnCreate(...KEX)
  prepare() {}

  @OnDelete(...KEX)
  remove({ spec }: ChangeContext<any>) {
    if (spec.mode === 'waiting') throw new TemporaryError('still in use', { delay: 30 });
  }
}

const CANARY = 'Y2FuYXJ5';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

@Injectable()
class SecretOperator {
  @OnCreate('secrets')
  keep({ body }: ChangeContext) {
    throw new TemporaryError(`Bad password: ${(body as any).data.password}`, { delay: 600 });
  }

  @OnCreate(...KEX)
  create() {}
}

/** The names of the objects by their phases. */
function phasesOf(source: ClusterInspection): Record<string, string> {
  const { items } = source.objects({});
  return Object.fromEntries(items.map(({ name, phase }) => [name, phase]));
}

describe('the console of a cluster', () => {
  it('should show the objects of an operator that it has nothing to do with', async () => {
    const harness = await OperatorHarness.start();
    const operator = await harness.run(ExampleOperator);
    await harness.create('done', { spec: { mode: 'calm' } });
    const source = await observeCluster(harness);
    await harness.create('web', { spec: { mode: 'waiting' } });
    await harness.create('shop', { spec: { mode: 'waiting' } });
    await harness.advance(2);
    expect(phasesOf(source)).toEqual({ done: 'idle', shop: 'failing', web: 'failing' });
    expect(source.overview()).toMatchObject({
      state: 'observed',
      counts: { objects: 3, failing: 2 },
      resources: [{ resource: RESOURCE, kind: 'KopfExample', namespaced: true, objects: 3 }],
      cluster: { host: 'embedded' },
    });
    expect(source.now()).toMatchObject({
      waiting: [{ name: 'shop', handler: 'create', attempts: 1 }, { name: 'web' }],
      failing: [{ error: 'no disk … for …', handler: 'create', count: 2 }],
    });
    await harness.delete('web');
    await harness.advance(2);
    expect(source.objects({ deleting: true })).toMatchObject({ items: [{ name: 'web', handlers: ['remove'] }] });
    await harness.stop(operator);
    await harness.advance(120);
    expect(phasesOf(source)).toMatchObject({ shop: 'failing', web: 'stuck' });
    await harness.patch('web', { metadata: { finalizers: null } });
    await harness.advance(1);
    expect(phasesOf(source)).toEqual({ done: 'idle', shop: 'failing' });
  });

  it('should tell everything about an object, and what has happened to it', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(ExampleOperator);
    const source = await observeCluster(harness, { resources: ['kopfexamples'] });
    const log: OperatorEvent[] = [];
    const unfollow = source.subscribe({
      log: (event) => log.push(event),
      changed: () => undefined,
      changedObject: () => undefined,
    });
    await harness.create('web', { spec: { mode: 'waiting' } });
    await harness.advance(601);
    await harness.patch('web', { spec: { mode: 'calm' } });
    await harness.advance(600);
    unfollow();
    const details = await source.object({ resource: RESOURCE, namespace: 'ns', name: 'web' }, SIGNAL);
    expect(details).toMatchObject({
      object: { phase: 'idle' },
      finalizers: [{ name: 'kopf.zalando.org/KopfFinalizerMarker', owner: 'operator' }],
      findings: [{ code: 'handled' }],
    });
    expect(details.body).not.toHaveProperty('metadata.managedFields');
    expect(details.events.map(({ text }) => text)).toEqual(log.map(({ text }) => text));
    expect(log.map(({ text }) => text)).toEqual([
      'The object was created.',
      'The handler create is called again later: no disk 7 for web',
      'The handler prepare has succeeded.',
      'The handler create is called again later: no disk 7 for web',
      'The object was changed, and has the generation 2 now.',
      'The handler create is not called any more: it is done.',
    ]);
    expect(source.handlers()).toMatchObject([
      { id: 'create', kind: 'create', selector: RESOURCE, calls: 2, retried: 2 },
      { id: 'prepare', calls: 1, succeeded: 1 },
    ]);
  });

  it('should tell of failures for good by the Kubernetes events about them', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(ExampleOperator, { posting: { loggers: true } });
    const source = await observeCluster(harness);
    await harness.create('web', { spec: { mode: 'hopeless' } });
    await harness.advance(2);
    expect(source.objects({ phase: 'failed' })).toMatchObject({ items: [{ name: 'web', error: 'never' }] });
    expect(source.handlers()).toMatchObject([{ id: 'create', failed: 1, errors: [{ error: 'never' }] }]);
    const late = await observeCluster(harness);
    expect(phasesOf(late)).toEqual({ web: 'failed' });
    await harness.patch('web', { spec: { mode: 'calm' } });
    await harness.advance(2);
    expect(phasesOf(source)).toEqual({ web: 'idle' });
  });

  it('should show only what the user may see, and say what he may not', async () => {
    const harness = await OperatorHarness.start({
      kube: { authorization: 'rbac', users: { 'the-token': { name: 'guest', groups: ['system:authenticated'] } } },
    });
    await harness.run(ExampleOperator);
    await harness.create('web', { spec: { mode: 'waiting' } });
    await harness.create('hidden', { metadata: { namespace: 'other' }, spec: { mode: 'waiting' } });
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/ns';
    const metadata = { name: 'guest', namespace: 'ns' };
    const rules = [{ apiGroups: ['kopf.dev'], resources: ['kopfexamples'], verbs: ['list', 'watch'] }];
    await harness.send('POST', `${rbac}/roles`, { metadata, rules });
    await harness.send('POST', `${rbac}/rolebindings`, {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'guest' },
      subjects: [{ kind: 'User', name: 'guest' }],
    });
    await harness.advance(2);
    const source = await observeCluster(harness, { namespaces: ['ns'] }, 'the-token');
    expect(phasesOf(source)).toEqual({ web: 'failing' });
    const states = source.watches().map(({ resource, namespace, state }) => [resource, namespace, state]);
    expect(states).toContainEqual([RESOURCE, 'ns', 'watching']);
    expect(states).toContainEqual(['events', 'ns', 'forbidden']);
    const granted = source.permissions().filter(({ resource }) => resource === 'kopfexamples');
    expect(granted.map(({ verb, namespace, granted: isGranted }) => [verb, namespace, isGranted])).toEqual([
      ['list', 'ns', true],
      ['watch', 'ns', true],
    ]);
    const [object] = source.objects({}).items;
    expect(await new ClusterActions(source).mayAct('retry', object, { user: 'guest' }, SIGNAL)).toBe(false);
    const everywhere = await observeCluster(harness, {}, 'the-token');
    expect(phasesOf(everywhere)).toEqual({});
    expect(everywhere.watches().map(({ state }) => state)).toEqual(expect.arrayContaining(['forbidden']));
  });

  it('should show nothing of what Secrets hold, and no copies that kubectl has left', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(SecretOperator);
    const annotations = { [LAST_APPLIED]: `{"data":{"password":"${CANARY}"}}`, note: CANARY };
    await harness.send('POST', '/api/v1/namespaces/ns/secrets', {
      metadata: { name: 'hidden', annotations },
      data: { password: CANARY },
    });
    await harness.create('web', { metadata: { annotations: { [LAST_APPLIED]: CANARY } } });
    const source = await observeCluster(harness, { resources: ['secrets', RESOURCE] });
    await harness.advance(5);
    const secret = await source.object({ resource: 'secrets', namespace: 'ns', name: 'hidden' }, SIGNAL);
    const web = await source.object({ resource: RESOURCE, namespace: 'ns', name: 'web' }, SIGNAL);
    const lists = [source.objects({}), source.now(), source.handlers(), source.recentEvents()];
    expect(JSON.stringify([secret, web, lists])).not.toContain(CANARY);
    expect(secret).toMatchObject({
      progress: [{ handler: 'keep', error: '***' }],
      body: { data: { password: '***' } },
    });
    expect(web.body).toMatchObject({ metadata: { annotations: { [LAST_APPLIED]: '***' } } });
  });

  it('should see resources that come, and forget those that go', async () => {
    const harness = await OperatorHarness.start({ definition: false });
    const source = await observeCluster(harness);
    await harness.define();
    await harness.run(ExampleOperator);
    await harness.create('web', { spec: { mode: 'calm' } });
    await harness.advance(40);
    expect(phasesOf(source)).toEqual({ web: 'idle' });
    await harness.undefine();
    await harness.advance(40);
    expect(phasesOf(source)).toEqual({});
    expect(source.watches().map(({ resource }) => resource)).not.toContain(RESOURCE);
  });

  it('should show the operators of peerings, and the holder of a Lease', async () => {
    const harness = await OperatorHarness.start();
    const source = await observeCluster(harness, { lease: 'kopf-operator' });
    await harness.run(ExampleOperator, {
      coordination: 'lease',
      lease: { namespace: 'ns' },
      peering: { identity: 'me' },
    });
    await harness.advance(2);
    expect(source.coordination()).toMatchObject({
      mode: 'lease',
      lease: { name: 'kopf-operator', namespace: 'ns', holder: 'me' },
    });
  });
});
