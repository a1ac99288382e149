import { StatusError } from '../errors/status.error.js';
import { DEFINITIONS_PATH, Harness, MERGE_PATCH, WIDGETS } from '../harness.spec-support.js';

const MAPS = '/api/v1/namespaces/default/configmaps';

let kube: Harness;
beforeEach(async () => {
  kube = await Harness.start();
  await kube.post(DEFINITIONS_PATH, WIDGETS);
});
afterEach(() => kube.kube.stop());

describe('the same events in two groups', () => {
  it('should convert between them', async () => {
    const event = {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Widget', name: 'one', namespace: 'default' },
      reason: 'Tested',
      message: 'text',
      type: 'Normal',
      count: 1,
      source: { component: 'spec' },
    };
    expect((await kube.post('/api/v1/namespaces/default/events', event)).body).toMatchObject({
      eventTime: null,
      reportingComponent: '',
    });
    const { body } = await kube.get('/apis/events.k8s.io/v1/namespaces/default/events/e');
    expect(body).toMatchObject({
      regarding: { name: 'one' },
      note: 'text',
      deprecatedCount: 1,
      apiVersion: 'events.k8s.io/v1',
    });
    expect(body.message).toBeUndefined();
  });
});

describe('what the server adds to built-in kinds', () => {
  it('should give services addresses, and keep them', async () => {
    const path = '/api/v1/namespaces/default/services';
    const { body } = await kube.post(path, { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
    expect(body.spec).toMatchObject({
      clusterIP: expect.stringMatching(/^10\.96\./) as string,
      type: 'ClusterIP',
      ports: [{ targetPort: 80, protocol: 'TCP' }],
    });
    const replaced = await kube.put(`${path}/s`, { metadata: { name: 's' }, spec: { ports: [{ port: 81 }] } });
    expect(replaced.body.spec.clusterIP).toBe(body.spec.clusterIP);
    const headless = await kube.post(path, { metadata: { name: 'h' }, spec: { clusterIP: 'None' } });
    expect(headless.body.spec.clusterIPs).toEqual(['None']);
  });

  it('should encode the texts of secrets', async () => {
    const { body } = await kube.post('/api/v1/namespaces/default/secrets', {
      metadata: { name: 's' },
      stringData: { a: 'b' },
    });
    expect(body).toMatchObject({ data: { a: 'Yg==' }, type: 'Opaque' });
    expect(body.stringData).toBeUndefined();
  });

  it('should limit the size of config maps', async () => {
    const { body } = await kube.post(MAPS, { metadata: { name: 'm' }, data: { a: 'x'.repeat(1_600_000) } });
    expect(body.message).toBe('ConfigMap "m" is invalid: []: Too long: may not be more than 1048576 bytes');
  });

  it('should let a claim grow only once it is bound', async () => {
    const path = '/api/v1/namespaces/default/persistentvolumeclaims';
    const spec = { accessModes: ['ReadWriteOnce'], storageClassName: 'c', resources: { requests: { storage: '1Gi' } } };
    await kube.post(path, { metadata: { name: 'c' }, spec });
    const grow = () => kube.patch(`${path}/c`, { spec: { resources: { requests: { storage: '2Gi' } } } });
    expect((await grow()).body.message).toContain('spec is immutable after creation except resources.requests');
    await kube.patch(`${path}/c/status`, { status: { phase: 'Bound', capacity: { storage: '1Gi' } } });
    expect((await grow()).body.message).toContain('only dynamically provisioned pvc can be resized');
    const storageClass = { metadata: { name: 'c' }, provisioner: 'a.b/c', allowVolumeExpansion: true };
    await kube.post('/apis/storage.k8s.io/v1/storageclasses', storageClass);
    expect((await grow()).body.spec.resources.requests.storage).toBe('2Gi');
    const shrunk = await kube.patch(`${path}/c`, { spec: { resources: { requests: { storage: '500Mi' } } } });
    expect(shrunk.body.message).toContain('field can not be less than status.capacity');
  });
});

describe('admission plugins', () => {
  it('should change and refuse writes, also if they take time', async () => {
    const own = await Harness.start({
      admission: [
        {
          name: 'spec',
          admit: async ({ object }) => {
            await Promise.resolve();
            if (object && object.kind === 'ConfigMap') object.metadata.labels = { admitted: 'yes' };
          },
          validate: ({ object, operation }) => {
            if (operation === 'CREATE' && object?.metadata.name === 'bad')
              throw new StatusError(403, 'Forbidden', 'not this one');
          },
        },
      ],
    });
    expect((await own.post(MAPS, { metadata: { name: 'a' } })).body.metadata.labels).toEqual({ admitted: 'yes' });
    expect((await own.post(MAPS, { metadata: { name: 'bad' } })).body).toMatchObject({
      code: 403,
      message: 'not this one',
    });
    await Promise.all(['x', 'y', 'z'].map((key) => own.patch(`${MAPS}/a`, { data: { [key]: '1' } })));
    expect((await own.get(`${MAPS}/a`)).body.data).toEqual({ x: '1', y: '1', z: '1' });
    await own.kube.stop();
  });
});

describe('subresources', () => {
  it('should scale a deployment', async () => {
    const container = { name: 'a', image: 'i' };
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } };
    const path = '/apis/apps/v1/namespaces/default/deployments';
    await kube.post(path, { metadata: { name: 'd' }, spec: { selector: { matchLabels: { a: 'b' } }, template } });
    expect((await kube.get(`${path}/d/scale`)).body).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 1 },
      status: { replicas: 0, selector: 'a=b' },
    });
    await kube.request('PATCH', `${path}/d/scale`, { spec: { replicas: 3 } }, MERGE_PATCH);
    expect((await kube.get(`${path}/d`)).body).toMatchObject({ spec: { replicas: 3 }, metadata: { generation: 2 } });
  });

  it.each([
    ['an eviction', '/api/v1/namespaces/default/pods/p/eviction', {}],
    ['a binding', '/api/v1/namespaces/default/pods/p/binding', { target: { name: 'n1' } }],
    ['a token', '/api/v1/namespaces/default/serviceaccounts/default/token', {}],
    ['a review of oneself', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}],
    ['a review of access', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec: {} }],
  ])('should refuse wrong options of %s', async (_what, path, content) => {
    const pods = '/api/v1/namespaces/default/pods';
    await kube.post(pods, { metadata: { name: 'p' }, spec: { containers: [{ name: 'a', image: 'i' }] } });
    await kube.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
    expect((await kube.post(`${path}?dryRun=Some`, content)).body).toMatchObject({
      code: 422,
      message: expect.stringMatching(/^CreateOptions.meta.k8s.io "" is invalid: dryRun: /) as string,
    });
    expect((await kube.get(`${pods}/p`)).status).toBe(200);
  });

  it('should bind and evict a pod', async () => {
    const pods = '/api/v1/namespaces/default/pods';
    await kube.post(pods, { metadata: { name: 'p' }, spec: { containers: [{ name: 'a', image: 'i' }] } });
    const binding = { kind: 'Binding', apiVersion: 'v1', target: { kind: 'Node', name: 'n1' } };
    expect((await kube.post(`${pods}/p/binding`, binding)).status).toBe(201);
    expect((await kube.get(`${pods}/p`)).body.spec.nodeName).toBe('n1');
    expect((await kube.post(`${pods}/p/binding`, binding)).status).toBe(409);
    await kube.post(`${pods}/p/eviction`, {
      kind: 'Eviction',
      apiVersion: 'policy/v1',
      deleteOptions: { gracePeriodSeconds: 0 },
    });
    expect((await kube.get(`${pods}/p`)).status).toBe(404);
  });
});
