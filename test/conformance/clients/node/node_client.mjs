// Uses a server by Kubernetes' official client for Node.js: typed calls, patches, pages, watches, an informer, custom resources, errors.
// KUBECONFIG names the server. Prints one line for each step; the lines are the same on every server.
import {
  ApiException,
  ApiextensionsV1Api,
  AppsV1Api,
  AuthenticationV1Api,
  AuthorizationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  Log,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  VersionApi,
  Watch,
} from '@kubernetes/client-node';
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

const namespace = 'node-client';
const config = new KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(CoreV1Api);
const objects = KubernetesObjectApi.makeApiClient(config);
const map = (name) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels: { app: 'node' } },
  data: { a: '1' },
});
const typed = (strategy) => setHeaderOptions('Content-Type', strategy);

const say = (step, ...values) =>
  console.log(step, ...values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))));

async function refused(step, call) {
  try {
    await call();
    say(step, 'is not refused');
  } catch (error) {
    if (!(error instanceof ApiException)) throw error;
    const { reason, message } = typeof error.body === 'string' ? JSON.parse(error.body) : error.body;
    say(step, error.code, reason, message);
  }
}

async function until(what, isSo) {
  for (let attempt = 0; !(await isSo()); attempt++) {
    if (attempt > 3000) throw new Error(`Not within a minute: ${what}`);
    await pause(20);
  }
}

async function calls() {
  say('version', (await config.makeApiClient(VersionApi).getCode()).major);
  await core.createNamespace({ body: { metadata: { name: namespace } } });
  await until('the account of pods', () =>
    core.readNamespacedServiceAccount({ name: 'default', namespace }).then(
      () => true,
      () => false,
    ),
  );
  for (let index = 0; index < 12; index++)
    await core.createNamespacedConfigMap({ namespace, body: map(`map-${index}`) });
  const sizes = [];
  for (let _continue; ;) {
    const page = await core.listNamespacedConfigMap({ namespace, limit: 5, labelSelector: 'app=node', _continue });
    sizes.push(page.items.length);
    _continue = page.metadata._continue;
    if (!_continue) break;
  }
  say('pages', sizes);
  const merged = await core.patchNamespacedConfigMap(
    { name: 'map-0', namespace, body: { data: { a: null, b: '2' } } },
    typed(PatchStrategy.MergePatch),
  );
  const body = [{ op: 'add', path: '/data/c', value: '3' }];
  const patched = await core.patchNamespacedConfigMap(
    { name: 'map-0', namespace, body },
    typed(PatchStrategy.JsonPatch),
  );
  say('patches', merged.data, patched.data);
  const applied = await core.patchNamespacedConfigMap(
    { name: 'applied', namespace, body: map('applied'), fieldManager: 'node', force: true },
    typed(PatchStrategy.ServerSideApply),
  );
  say(
    'applied',
    applied.metadata.managedFields.map(({ manager, operation }) => `${manager} ${operation}`),
  );
  await refused('conflict', () =>
    core.patchNamespacedConfigMap(
      { name: 'applied', namespace, body: { ...map('applied'), data: { a: '2' } }, fieldManager: 'other' },
      typed(PatchStrategy.ServerSideApply),
    ),
  );
  await refused('exists', () => core.createNamespacedConfigMap({ namespace, body: map('map-1') }));
  await refused('invalid', () => core.createNamespacedConfigMap({ namespace, body: map('Not A Name') }));
  await refused('stale', () =>
    core.replaceNamespacedConfigMap({
      name: 'map-1',
      namespace,
      body: { ...map('map-1'), metadata: { ...map('map-1').metadata, resourceVersion: '1' } },
    }),
  );
  await refused('none', () => core.readNamespacedConfigMap({ name: 'none', namespace }));
  await refused('no logs', () => core.readNamespacedPodLog({ name: 'none', namespace }));
}

async function workloads() {
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'web' }] } };
  const spec = { replicas: 2, selector: { matchLabels: { app: 'web' } }, template };
  await objects.create({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace }, spec });
  const apps = config.makeApiClient(AppsV1Api);
  const read = () => apps.readNamespacedDeployment({ name: 'web', namespace });
  await until('two pods are ready', async () => (await read()).status.readyReplicas === 2);
  const scale = await apps.readNamespacedDeploymentScale({ name: 'web', namespace });
  scale.spec.replicas = 1;
  say('scaled', (await apps.replaceNamespacedDeploymentScale({ name: 'web', namespace, body: scale })).spec.replicas);
  await until('one pod is left', async () => (await read()).status.replicas === 1);
  const { status } = await apps.deleteNamespacedDeployment({ name: 'web', namespace, propagationPolicy: 'Foreground' });
  say('deleted', typeof status);
  await until('no pod is left', async () => {
    return (await core.listNamespacedPod({ namespace, labelSelector: 'app=web' })).items.length === 0;
  });
}

async function inform() {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const list = () => core.listNamespacedConfigMap({ namespace, labelSelector: 'app=node' });
  const informer = makeInformer(config, path, list, 'app=node');
  const seen = new Map();
  for (const event of ['add', 'update', 'delete']) {
    informer.on(event, ({ metadata: { name } }) =>
      seen.set(`${event} ${name}`, (seen.get(`${event} ${name}`) ?? 0) + 1),
    );
  }
  await informer.start();
  say('listed', informer.list(namespace).length, seen.get('add map-3'));
  await core.patchNamespacedConfigMap(
    { name: 'map-3', namespace, body: { data: { b: '2' } } },
    typed(PatchStrategy.MergePatch),
  );
  await until('an update', () => seen.has('update map-3'));
  await core.patchNamespacedConfigMap(
    { name: 'map-4', namespace, body: { metadata: { labels: { app: 'other' } } } },
    typed(PatchStrategy.MergePatch),
  );
  await until('an object leaves the selection', () => seen.has('delete map-4'));
  await core.deleteNamespacedConfigMap({ name: 'map-5', namespace });
  await until('a deletion', () => seen.has('delete map-5'));
  await core.createNamespacedConfigMap({ namespace, body: map('late') });
  await until('a creation', () => seen.has('add late'));
  say(
    'followed',
    informer.list(namespace).length,
    informer.get('map-3', namespace).data,
    informer.get('map-4', namespace),
  );
  await informer.stop();
}

async function watch() {
  const events = [];
  let ended;
  const done = new Promise((resolve) => (ended = resolve));
  const query = { fieldSelector: 'metadata.name=map-6', timeoutSeconds: 1, allowWatchBookmarks: true };
  await new Watch(config).watch(
    `/api/v1/namespaces/${namespace}/configmaps`,
    query,
    (type, { metadata }) => events.push(`${type} ${metadata.name}`),
    ended,
  );
  await done;
  say('watched', events);
}

async function custom() {
  const schema = {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { size: { type: 'integer', maximum: 9 } } },
      status: { type: 'object', properties: { ready: { type: 'boolean' } } },
    },
  };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    subresources: { status: {} },
    schema: { openAPIV3Schema: schema },
  };
  const group = 'node.example.com';
  const spec = { group, scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' }, versions: [version] };
  const definitions = config.makeApiClient(ApiextensionsV1Api);
  await definitions.createCustomResourceDefinition({ body: { metadata: { name: `things.${group}` }, spec } });
  const things = config.makeApiClient(CustomObjectsApi);
  const where = { group, version: 'v1', namespace, plural: 'things' };
  await until('the resource', () =>
    things.listNamespacedCustomObject(where).then(
      () => true,
      () => false,
    ),
  );
  const thing = (name, size) => ({ apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name }, spec: { size } });
  const created = await things.createNamespacedCustomObject({ ...where, body: thing('one', 1) });
  created.status = { ready: true };
  const updated = await things.replaceNamespacedCustomObjectStatus({ ...where, name: 'one', body: created });
  say('status', updated.status, updated.metadata.generation);
  await refused('too large', () => things.createNamespacedCustomObject({ ...where, body: thing('two', 10) }));
  await refused('mistyped', () => things.createNamespacedCustomObject({ ...where, body: thing('two', 'x') }));
}

async function access() {
  const authorization = config.makeApiClient(AuthorizationV1Api);
  const spec = { resourceAttributes: { verb: 'get', resource: 'pods', namespace } };
  say('allowed', (await authorization.createSelfSubjectAccessReview({ body: { spec } })).status.allowed);
  const request = { name: 'default', namespace, body: { spec: { audiences: [], expirationSeconds: 600 } } };
  const { token } = (await core.createNamespacedServiceAccountToken(request)).status;
  const authentication = config.makeApiClient(AuthenticationV1Api);
  const review = await authentication.createTokenReview({ body: { spec: { token } } });
  say('token', review.status.authenticated, review.status.user.username);
  const sink = new PassThrough();
  sink.resume();
  const message = await new Log(config).log(namespace, 'none', 'main', sink, { follow: true }).then(
    () => 'is not refused',
    (error) => String(error.message).includes('pods \\"none\\" not found') || error.code,
  );
  say('followed log', message);
}

await calls();
await workloads();
await inform();
await watch();
await custom();
await access();
process.exit(0);
