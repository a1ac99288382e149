import { DEFINITIONS_PATH, Harness, WIDGETS, WIDGETS_PATH, widget } from '../harness.spec-support.js';

const DEFINITION = `${DEFINITIONS_PATH}/widgets.example.com`;

let kube: Harness;
beforeEach(async () => {
  kube = await Harness.start();
});
afterEach(() => kube.kube.stop());

const versions = (...names: string[]) =>
  names.map((name, index) => ({ ...WIDGETS.spec.versions[0]!, name, storage: index === 0 }));

describe('a definition', () => {
  it('should be served as soon as it is there', async () => {
    const created = await kube.post(DEFINITIONS_PATH, WIDGETS);
    expect(created.body.status).toEqual({
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: ['v1'],
    });
    expect((await kube.get(WIDGETS_PATH)).body).toMatchObject({ kind: 'WidgetList', items: [] });
    const { status } = (await kube.get(DEFINITION)).body;
    expect(status.conditions).toMatchObject([
      { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
      { type: 'Established', status: 'True', reason: 'InitialNamesAccepted' },
    ]);
    expect(status.acceptedNames).toEqual({ ...WIDGETS.spec.names, listKind: 'WidgetList' });
  });

  it('should be discovered in both forms', async () => {
    await kube.post(DEFINITIONS_PATH, WIDGETS);
    const { body } = await kube.get('/apis/example.com/v1');
    expect(body.resources).toMatchObject([
      {
        name: 'widgets',
        singularName: 'widget',
        namespaced: true,
        kind: 'Widget',
        shortNames: ['wd'],
        categories: ['all'],
      },
      { name: 'widgets/status', kind: 'Widget', verbs: ['get', 'patch', 'update'] },
    ]);
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const aggregated = await kube.get('/apis', { accept });
    expect(aggregated.headers['content-type']).toBe(accept);
    const group = aggregated.body.items.find(
      (each: { metadata: { name: string } }) => each.metadata.name === 'example.com',
    );
    expect(group.versions[0].resources[0]).toMatchObject({
      resource: 'widgets',
      scope: 'Namespaced',
      singularResource: 'widget',
    });
    await kube.delete(DEFINITION);
    await kube.clock.settle();
    const { items } = (await kube.get('/apis', { accept })).body as { items: { metadata: { name: string } }[] };
    expect(items.map(({ metadata }) => metadata.name)).not.toContain('example.com');
  });

  it('should delete its objects first, and wait for their finalizers', async () => {
    await kube.post(DEFINITIONS_PATH, WIDGETS);
    await kube.post(WIDGETS_PATH, widget('a'));
    await kube.post(WIDGETS_PATH, widget('b', { size: '1G' }, { finalizers: ['x.y/z'] }));
    const { body } = await kube.delete(DEFINITION);
    expect(body.metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
    await kube.clock.settle();
    expect((await kube.get(`${WIDGETS_PATH}/a`)).status).toBe(404);
    expect((await kube.get(`${WIDGETS_PATH}/b`)).body.metadata.deletionTimestamp).toBeDefined();
    expect((await kube.post(WIDGETS_PATH, widget('c'))).body).toMatchObject({
      code: 405,
      message: 'create not allowed while custom resource definition is terminating',
    });
    const { resources } = (await kube.get('/apis/example.com/v1')).body as { resources: { verbs: string[] }[] };
    expect(resources[0].verbs).toEqual(['delete', 'deletecollection', 'get', 'list', 'watch']);
    await kube.patch(`${WIDGETS_PATH}/b`, { metadata: { finalizers: null } });
    expect((await kube.get(DEFINITION)).status).toBe(404);
    expect((await kube.get(WIDGETS_PATH)).status).toBe(404);
    expect((await kube.get('/apis/example.com')).status).toBe(404);
  });

  it('should not let watches resume over its deletion', async () => {
    await kube.post(DEFINITIONS_PATH, WIDGETS);
    await kube.post(WIDGETS_PATH, widget('a'));
    const since = kube.kube.resourceVersion;
    await kube.delete(DEFINITION);
    await kube.clock.settle();
    await kube.post(DEFINITIONS_PATH, WIDGETS);
    const reader = await kube.watch(`${WIDGETS_PATH}?watch=1&resourceVersion=${since}`);
    expect(await reader.next()).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  });

  it('should serve several versions of the same objects', async () => {
    await kube.post(DEFINITIONS_PATH, {
      ...WIDGETS,
      spec: { ...WIDGETS.spec, versions: versions('v1beta1', 'v2', 'v1') },
    });
    await kube.post(WIDGETS_PATH, widget('a'));
    const other = await kube.get(WIDGETS_PATH.replace('v1', 'v2'));
    expect(other.body).toMatchObject({ apiVersion: 'example.com/v2', items: [{ apiVersion: 'example.com/v2' }] });
    const { body } = await kube.get('/apis/example.com');
    expect(body.versions.map(({ version }: { version: string }) => version)).toEqual(['v2', 'v1', 'v1beta1']);
    expect((await kube.get(DEFINITION)).body.status.storedVersions).toEqual(['v1beta1']);
  });

  it('should stop to serve a version that is not served any more', async () => {
    const both = { ...WIDGETS, spec: { ...WIDGETS.spec, versions: versions('v1', 'v2') } };
    await kube.post(DEFINITIONS_PATH, both);
    expect((await kube.get(WIDGETS_PATH.replace('v1', 'v2'))).status).toBe(200);
    await kube.patch(DEFINITION, { spec: { versions: versions('v1') } });
    expect((await kube.get(WIDGETS_PATH.replace('v1', 'v2'))).status).toBe(404);
    expect((await kube.get(WIDGETS_PATH)).status).toBe(200);
  });

  it('should not be served while its names are taken', async () => {
    await kube.post(DEFINITIONS_PATH, WIDGETS);
    const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', shortNames: ['wd'] };
    const gadgets = { ...WIDGETS, metadata: { name: 'gadgets.example.com' }, spec: { ...WIDGETS.spec, names } };
    await kube.post(DEFINITIONS_PATH, gadgets);
    const { body } = await kube.get(`${DEFINITIONS_PATH}/gadgets.example.com`);
    expect(body.status.conditions).toMatchObject([
      { type: 'NamesAccepted', status: 'False', reason: 'ShortNamesConflict', message: '"wd" is already in use' },
      { type: 'Established', status: 'False', reason: 'NotAccepted' },
    ]);
    expect((await kube.get('/apis/example.com/v1/gadgets')).status).toBe(404);
  });

  it('should be valid', async () => {
    const { body } = await kube.post(DEFINITIONS_PATH, {
      ...WIDGETS,
      metadata: { name: 'widgets.example.org' },
      spec: { group: 'example.org' },
    });
    expect(body.message).toBe(
      'CustomResourceDefinition.apiextensions.k8s.io "widgets.example.org" is invalid: [' +
        'metadata.name: Invalid value: "widgets.example.org": must be spec.names.plural+"."+spec.group, ' +
        'spec.scope: Required value, ' +
        'spec.versions: Invalid value: null: must have exactly one version marked as storage version, ' +
        'spec.names.plural: Required value, spec.names.singular: Required value, ' +
        'spec.names.kind: Required value, spec.names.listKind: Required value, ' +
        'status.storedVersions: Invalid value: null: must have at least one stored version]',
    );
  });

  it('should note each version that becomes the storage version', async () => {
    await kube.post(DEFINITIONS_PATH, { ...WIDGETS, spec: { ...WIDGETS.spec, versions: versions('v1', 'v2') } });
    const changed = versions('v2', 'v1');
    const { status, body } = await kube.patch(DEFINITION, { spec: { versions: changed } });
    expect([status, body.status.storedVersions]).toEqual([200, ['v1', 'v2']]);
  });

  it('should be served in cluster scope', async () => {
    const spec = { ...WIDGETS.spec, scope: 'Cluster' };
    await kube.post(DEFINITIONS_PATH, { ...WIDGETS, spec });
    const created = await kube.post('/apis/example.com/v1/widgets', widget('a'));
    expect(created.body.metadata.namespace).toBeUndefined();
    expect((await kube.get('/apis/example.com/v1/widgets/a')).status).toBe(200);
    expect((await kube.get(WIDGETS_PATH)).status).toBe(404);
  });
});
