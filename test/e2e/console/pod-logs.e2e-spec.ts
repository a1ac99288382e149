import type { ConsoleAction, KopfConsoleActions } from 'nestjs-kopf-console';
import { OnCreate, type ChangeContext } from 'nestjs-kopf';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { observeCluster } from '../../support/operators/observed.cluster.js';
import { ClusterActions } from '../../../libs/kopf-console/src/actions/cluster.actions.js';
import { ConsoleWorld } from './console.world.js';

const ALICE = { 'x-user': 'alice' };
const authenticate: KopfConsoleActions['authenticate'] = ({ headers }) =>
  headers['x-user'] ? { user: headers['x-user'] } : undefined;
const OBJECT = { resource: 'kopfexamples.kopf.dev', kind: 'KopfExample', namespace: 'ns', name: 'a' };

class PodlessOperator {
  @OnCreate(...KEX)
  create(_context: ChangeContext) {}

  @OnCreate('deployments.apps')
  note() {}
}

/** An object that owns a Deployment and a pod, beside a pod that it does not own. */
async function start(allow: readonly ConsoleAction[], rules?: readonly object[]): Promise<ConsoleWorld> {
  const users = { limited: { name: 'operator', groups: ['system:authenticated'] } };
  const harness = await OperatorHarness.start({
    kube: { pods: true, ...(rules && { authorization: 'rbac', users }) },
  });
  if (rules) {
    const path = '/apis/rbac.authorization.k8s.io/v1';
    const subject = { apiGroup: 'rbac.authorization.k8s.io', name: 'operator' };
    await harness.send('POST', `${path}/clusterroles`, { metadata: { name: 'operator' }, rules });
    await harness.send('POST', `${path}/clusterrolebindings`, {
      metadata: { name: 'operator' },
      subjects: [{ kind: 'User', ...subject }],
      roleRef: { kind: 'ClusterRole', ...subject },
    });
  }
  const credentials = { server: 'http://embedded', transport: harness.kube.transport(rules && 'limited') };
  const world = await ConsoleWorld.start({
    harness,
    handlers: [PodlessOperator],
    console: { actions: { allow, authenticate, authorize: () => true } },
    options: { credentials },
  });
  const { metadata } = await harness.create('a');
  const owner = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', name: 'a', uid: metadata.uid, controller: true };
  const spec = { containers: [{ name: 'main', image: 'web' }] };
  const labels = { app: 'a' };
  await harness.send('POST', '/apis/apps/v1/namespaces/ns/deployments', {
    metadata: { name: 'web', ownerReferences: [owner] },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
  await harness.send('POST', '/api/v1/namespaces/ns/pods', {
    metadata: { name: 'own', ownerReferences: [owner] },
    spec,
  });
  await harness.send('POST', '/api/v1/namespaces/ns/pods', { metadata: { name: 'foreign' }, spec });
  await harness.advance(10);
  harness.kube.pods.log('own', 'the line of its own pod');
  await harness.advance(1);
  return world;
}

describe('The logs of the pods that an object owns', () => {
  it('should be shown to who may ask for them, of its own pods and of those of its children', async () => {
    const world = await start(['logs']);
    const { status, body } = await world.post('logs', { object: OBJECT }, ALICE);
    expect(status).toBe(200);
    const names = body.result.map(({ pod, container }: any) => `${pod} ${container}`).sort();
    expect(names).toEqual(['own main', expect.stringMatching(/^web-\w+-\w+ main$/)]);
    expect(body.result.find(({ pod }: any) => pod === 'own').text).toContain('the line of its own pod');
  });

  it('should not be shown unless that is allowed, and not to strangers', async () => {
    const off = await start(['retry']);
    expect(await off.post('logs', { object: OBJECT }, ALICE)).toMatchObject({ status: 404 });
    const on = await start(['logs']);
    expect(await on.post('logs', { object: OBJECT })).toMatchObject({ status: 401 });
  });

  it('should say which permission is missing', async () => {
    const watching = {
      apiGroups: ['*'],
      resources: ['kopfexamples', 'deployments', 'customresourcedefinitions', 'events'],
      verbs: ['*'],
    };
    const blind = await start(['logs'], [watching]);
    expect(await blind.post('logs', { object: OBJECT }, ALICE)).toMatchObject({
      status: 403,
      body: { message: 'The operator may not list pods in this namespace.' },
    });
    const listing = { apiGroups: [''], resources: ['pods'], verbs: ['list'] };
    const world = await start(['logs'], [watching, listing]);
    const { body } = await world.post('logs', { object: OBJECT }, ALICE);
    // Without the permission to read ReplicaSets, the pods of Deployments are not known to be its own.
    expect(body.result).toEqual([
      { pod: 'own', container: 'main', problem: 'The operator may not read logs of pods.' },
    ]);
  });

  it('should be shown by kopf console, with the rights of the user', async () => {
    const { harness } = await start([]);
    const source = await observeCluster(harness);
    const answer = new ClusterActions(source).act(
      'logs',
      { object: OBJECT },
      { user: 'me' },
      new AbortController().signal,
    );
    const { result } = await harness.clock.runUntil(answer);
    expect(result).toContainEqual({ pod: 'own', container: 'main', text: expect.stringContaining('its own pod') });
  });
});
