import { StatusError } from './errors/status.error.js';
import {
  DEFINITIONS_PATH,
  Harness,
  JSON_PATCH,
  MERGE_PATCH,
  STRATEGIC_PATCH,
  WIDGETS,
  WIDGETS_PATH,
  widget,
} from './harness.spec-support.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const ONE = `${WIDGETS_PATH}/one`;

let kube: Harness;
beforeEach(async () => {
  kube = await Harness.start();
  await kube.post(DEFINITIONS_PATH, WIDGETS);
});
afterEach(() => kube.kube.stop());

describe('creating', () => {
  it('should set what the server decides', async () => {
    const { status, body } = await kube.post(WIDGETS_PATH, widget('one', { size: '1G', color: undefined }));
    expect(status).toBe(201);
    expect(body).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: {
        creationTimestamp: '2020-12-31T23:59:59Z',
        generation: 1,
        name: 'one',
        namespace: 'default',
        resourceVersion: expect.stringMatching(/^\d+$/),
        uid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      },
      spec: { color: 'red', size: '1G' },
    });
    expect((await kube.get(ONE)).body).toEqual(body);
  });

  it('should ignore the status and the server-made fields of a new object', async () => {
    const metadata = {
      uid: 'mine',
      generation: 9,
      creationTimestamp: '2000-01-01T00:00:00Z',
      deletionTimestamp: '2000-01-01T00:00:00Z',
    };
    const { body } = await kube.post(WIDGETS_PATH, { ...widget('one', { size: '1G' }, metadata), status: { a: 1 } });
    expect(body.status).toBeUndefined();
    expect(body.metadata).toMatchObject({ generation: 1, creationTimestamp: '2020-12-31T23:59:59Z' });
    expect(body.metadata.uid).not.toBe('mine');
    expect(body.metadata.deletionTimestamp).toBeUndefined();
  });

  it('should generate names', async () => {
    const object = { ...widget('', { size: '1G' }), metadata: { generateName: 'gen-' } };
    const { body } = await kube.post(WIDGETS_PATH, object);
    expect(body.metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it('should do everything but write in a dry run', async () => {
    const { status, body } = await kube.post(`${WIDGETS_PATH}?dryRun=All`, widget('one'));
    expect(status).toBe(201);
    expect(body.metadata.uid).toBeDefined();
    expect(body.metadata.resourceVersion).toBeUndefined();
    expect((await kube.get(ONE)).status).toBe(404);
  });

  it('should give the same uids from the same seed', async () => {
    const other = await Harness.start();
    await other.post(DEFINITIONS_PATH, WIDGETS);
    const [a, b] = await Promise.all([kube, other].map((each) => each.post(WIDGETS_PATH, widget('one'))));
    expect(a!.body).toEqual(b!.body);
    await other.kube.stop();
  });
});

describe('refusals, worded as the real server does', () => {
  const label =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

  it.each<[string, string, string, unknown, number, string, string]>([
    [
      'an existing name',
      'POST',
      WIDGETS_PATH,
      widget('taken'),
      409,
      'AlreadyExists',
      'widgets.example.com "taken" already exists',
    ],
    ['a missing object', 'GET', ONE, undefined, 404, 'NotFound', 'widgets.example.com "one" not found'],
    ['a missing built-in object', 'GET', `${MAPS}/x`, undefined, 404, 'NotFound', 'configmaps "x" not found'],
    [
      'an unknown built-in resource',
      'GET',
      '/api/v1/things',
      undefined,
      404,
      'NotFound',
      'the server could not find the requested resource',
    ],
    [
      'a missing namespace',
      'POST',
      '/api/v1/namespaces/none/configmaps',
      { metadata: { name: 'a' } },
      404,
      'NotFound',
      'namespaces "none" not found',
    ],
    [
      'another namespace in the body',
      'POST',
      WIDGETS_PATH,
      widget('a', { size: '1G' }, { namespace: 'x' }),
      400,
      'BadRequest',
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'no name',
      'POST',
      WIDGETS_PATH,
      { ...widget(''), metadata: {} },
      422,
      'Invalid',
      'Widget.example.com "" is invalid: metadata.name: Required value: name or generateName is required',
    ],
    [
      'a bad name',
      'POST',
      '/api/v1/namespaces',
      { metadata: { name: 'Bad' } },
      422,
      'Invalid',
      `Namespace "Bad" is invalid: metadata.name: Invalid value: "Bad": ${label}`,
    ],
    [
      'a wrong version',
      'POST',
      WIDGETS_PATH,
      { ...widget('a'), apiVersion: 'example.com/v2' },
      400,
      'BadRequest',
      'the API version in the data (example.com/v2) does not match the expected API version (example.com/v1)',
    ],
    [
      'a wrong kind',
      'POST',
      WIDGETS_PATH,
      { ...widget('a'), kind: 'Gadget' },
      422,
      'Invalid',
      'Gadget.example.com "a" is invalid: kind: Invalid value: "Gadget": must be Widget',
    ],
    [
      'a missing field',
      'POST',
      WIDGETS_PATH,
      widget('a', {}),
      422,
      'Invalid',
      'Widget.example.com "a" is invalid: spec.size: Required value',
    ],
    [
      'a wrong type',
      'POST',
      WIDGETS_PATH,
      widget('a', { size: 5 }),
      422,
      'Invalid',
      'Widget.example.com "a" is invalid: spec.size: Invalid value: "integer": spec.size in body must be of type string: "integer"',
    ],
    [
      'an unknown field, strictly',
      'POST',
      `${WIDGETS_PATH}?fieldValidation=Strict`,
      widget('a', { size: '1G', bad: 1 }),
      400,
      'BadRequest',
      'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.bad"',
    ],
    [
      'an unknown built-in field, strictly',
      'POST',
      `${MAPS}?fieldValidation=Strict`,
      { metadata: { name: 'a' }, dat: {} },
      400,
      'BadRequest',
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dat"',
    ],
    [
      'a wrong type in a built-in kind',
      'POST',
      MAPS,
      { metadata: { name: 'a' }, data: { x: 1 } },
      400,
      'BadRequest',
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
    [
      'a label of a wrong type',
      'POST',
      MAPS,
      { metadata: { name: 'a', labels: { x: 1 } } },
      400,
      'BadRequest',
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      'a method that is not there',
      'PUT',
      MAPS,
      {},
      405,
      'MethodNotAllowed',
      'the server does not allow this method on the requested resource',
    ],
    [
      'a replacement without a version',
      'PUT',
      `${WIDGETS_PATH}/taken`,
      widget('taken'),
      422,
      'Invalid',
      'widgets.example.com "taken" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ],
    [
      'a replacement of an older version',
      'PUT',
      `${WIDGETS_PATH}/taken`,
      widget('taken', { size: '2G' }, { resourceVersion: '1' }),
      409,
      'Conflict',
      'Operation cannot be fulfilled on widgets.example.com "taken": the object has been modified; please apply your changes to the latest version and try again',
    ],
    [
      'a replacement under another name',
      'PUT',
      `${WIDGETS_PATH}/taken`,
      widget('other'),
      400,
      'BadRequest',
      'the name of the object (other) does not match the name on the URL (taken)',
    ],
    [
      'a failed precondition',
      'DELETE',
      `${WIDGETS_PATH}/taken`,
      { preconditions: { resourceVersion: '1' } },
      409,
      'Conflict',
      expect.stringContaining('the ResourceVersion in the precondition (1) does not match') as string,
    ],
    [
      'a protected namespace',
      'DELETE',
      '/api/v1/namespaces/default',
      undefined,
      403,
      'Forbidden',
      'namespaces "default" is forbidden: this namespace may not be deleted',
    ],
    [
      'an unknown field label',
      'GET',
      `${WIDGETS_PATH}?fieldSelector=spec.size=1G`,
      undefined,
      400,
      'BadRequest',
      'field label not supported: spec.size',
    ],
    [
      'a bad label selector',
      'GET',
      `${WIDGETS_PATH}?labelSelector=a%20b`,
      undefined,
      400,
      'BadRequest',
      "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
    ],
    [
      'a dry run of a part',
      'POST',
      `${WIDGETS_PATH}?dryRun=Some`,
      widget('a'),
      422,
      'Invalid',
      'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
    ],
    [
      'a version in the future',
      'GET',
      `${WIDGETS_PATH}?resourceVersion=9999`,
      undefined,
      504,
      'Timeout',
      expect.stringContaining('Timeout: Too large resource version: 9999, current: ') as string,
    ],
    [
      'an event elsewhere than its object',
      'POST',
      '/api/v1/namespaces/default/events',
      { metadata: { name: 'e' }, involvedObject: { namespace: 'x' } },
      422,
      'Invalid',
      'Event "e" is invalid: involvedObject.namespace: Invalid value: "x": does not match event.namespace',
    ],
  ])('should refuse %s', async (_name, method, path, body, code, reason, message) => {
    await kube.post(WIDGETS_PATH, widget('taken'));
    const answer = await kube.request(method, path, body);
    expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', code, reason, message });
    expect(answer.status).toBe(code);
  });

  it.each([['/nothing'], ['/apis/none.dev'], ['/apis/none.dev/v1/things'], ['/apis/example.com/v2/widgets']])(
    'should know nothing at %s',
    async (path) => {
      expect(await kube.get(path)).toMatchObject({ status: 404, text: '404 page not found\n' });
    },
  );

  it('should name all fields that are wrong', async () => {
    const { body } = await kube.post(WIDGETS_PATH, widget('a', { size: '1', count: 9 }));
    expect(body.details).toEqual({
      name: 'a',
      group: 'example.com',
      kind: 'Widget',
      causes: [
        {
          field: 'spec.count',
          reason: 'FieldValueInvalid',
          message: 'Invalid value: 9: spec.count in body should be less than or equal to 5',
        },
        {
          field: 'spec.size',
          reason: 'FieldValueInvalid',
          message: 'Invalid value: "1": spec.size in body should be at least 2 chars long',
        },
      ],
    });
  });

  it('should warn of pruned fields', async () => {
    const { status, headers, body } = await kube.post(WIDGETS_PATH, {
      ...widget('a', { size: '1G', bad: 1, free: { x: { y: 1 } } }),
      top: 1,
    });
    expect(status).toBe(201);
    expect(headers['warning']).toBe('299 - "unknown field \\"spec.bad\\"", 299 - "unknown field \\"top\\""');
    expect(body.spec).toEqual({ color: 'red', free: { x: { y: 1 } }, size: '1G' });
  });
});

describe('changing', () => {
  beforeEach(() => kube.post(WIDGETS_PATH, widget('one')));

  it('should count the generation for changes outside of metadata and status', async () => {
    expect((await kube.patch(ONE, { metadata: { labels: { a: 'b' } } })).body.metadata.generation).toBe(1);
    expect((await kube.patch(ONE, { spec: { size: '2G' } })).body.metadata.generation).toBe(2);
    expect((await kube.patch(`${ONE}/status`, { status: { a: 1 } })).body.metadata.generation).toBe(2);
  });

  it('should not write what changes nothing', async () => {
    const before = kube.kube.resourceVersion;
    const { status, body } = await kube.patch(ONE, { spec: { size: '1G' }, metadata: { generation: 7 } });
    expect(status).toBe(200);
    expect(body.metadata.resourceVersion).toBe(before);
    expect(kube.kube.resourceVersion).toBe(before);
  });

  it('should keep the status apart', async () => {
    await kube.patch(ONE, { status: { a: 1 } });
    expect((await kube.get(ONE)).body.status).toBeUndefined();
    const { body } = await kube.patch(`${ONE}/status`, {
      status: { a: 1 },
      spec: { size: '9G' },
      metadata: { labels: { x: 'y' } },
    });
    expect(body).toMatchObject({ status: { a: 1 }, spec: { size: '1G' } });
    expect(body.metadata.labels).toBeUndefined();
  });

  it('should apply JSON patches, and guard by a test', async () => {
    const guarded = (version: string) => [
      { op: 'test', path: '/metadata/resourceVersion', value: version },
      { op: 'add', path: '/metadata/finalizers', value: ['a.b/c'] },
    ];
    const refused = await kube.patch(ONE, guarded('1'), JSON_PATCH);
    expect(refused.body).toMatchObject({
      code: 422,
      reason: 'Invalid',
      details: {},
      message: 'the server rejected our request due to an error in our request',
    });
    const applied = await kube.patch(ONE, guarded(kube.kube.resourceVersion), JSON_PATCH);
    expect(applied.body.metadata.finalizers).toEqual(['a.b/c']);
  });

  it('should refuse a merge patch of another version', async () => {
    const { body } = await kube.patch(ONE, { metadata: { resourceVersion: '1' }, spec: { size: '4G' } });
    expect(body).toMatchObject({ code: 409, reason: 'Conflict' });
  });

  it('should take strategic patches only for built-in kinds', async () => {
    expect((await kube.patch(ONE, {}, STRATEGIC_PATCH)).status).toBe(415);
    await kube.post('/api/v1/namespaces/default/pods', {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'a', image: 'i:1' }] },
    });
    const patch = { metadata: { labels: { x: 'y' } }, spec: { containers: [{ name: 'a', image: 'i:2' }] } };
    const { body } = await kube.patch('/api/v1/namespaces/default/pods/p', patch, STRATEGIC_PATCH);
    expect(body.spec.containers).toHaveLength(1);
    expect(body.spec.containers[0]).toMatchObject({
      name: 'a',
      image: 'i:2',
      terminationMessagePath: '/dev/termination-log',
    });
  });

  it('should not lose concurrent changes', async () => {
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => kube.patch(ONE, { metadata: { annotations: { [`a${index}`]: 'x' } } })),
    );
    expect(Object.keys((await kube.get(ONE)).body.metadata.annotations)).toHaveLength(50);
  });

  it('should keep objects in the order and form of the real server', async () => {
    const { text } = await kube.patch(ONE, {
      spec: { free: { z: 1, a: { y: 1, b: 2 } } },
      metadata: { labels: { z: '1', a: '2' } },
    });
    expect(text).toMatch(
      /"labels":\{"a":"2","z":"1"\}.*"spec":\{"color":"red","free":\{"a":\{"b":2,"y":1\},"z":1\},"size":"1G"\}/,
    );
    const map = await kube.post(MAPS, {
      data: { b: '1', a: '2' },
      metadata: { labels: {}, name: 'm' },
      kind: 'ConfigMap',
    });
    expect(map.text).toMatch(
      /^\{"kind":"ConfigMap","apiVersion":"v1","metadata":\{"name":"m",.*\},"data":\{"a":"2","b":"1"\}\}$/,
    );
  });

  it('should warn of finalizers that others could use', async () => {
    const { headers } = await kube.patch(ONE, { metadata: { finalizers: ['bad'] } });
    expect(headers['warning']).toContain('prefer a domain-qualified finalizer name');
  });
});

describe('deleting', () => {
  beforeEach(() => kube.post(WIDGETS_PATH, widget('one')));

  it('should remove an object and say so', async () => {
    const { status, body } = await kube.delete(ONE);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'one', group: 'example.com', kind: 'widgets' },
    });
    expect((await kube.get(ONE)).status).toBe(404);
  });

  it('should wait for the finalizers', async () => {
    await kube.patch(ONE, { metadata: { finalizers: ['a.b/c'] } });
    const marked = await kube.delete(ONE);
    expect(marked.body.metadata).toMatchObject({
      deletionTimestamp: '2020-12-31T23:59:59Z',
      deletionGracePeriodSeconds: 0,
      generation: 2,
    });
    const version = kube.kube.resourceVersion;
    expect((await kube.delete(ONE)).body.metadata.resourceVersion).toBe(version);
    const added = await kube.patch(ONE, { metadata: { finalizers: ['a.b/c', 'a.b/d'] } });
    expect(added.body.message).toContain(
      'no new finalizers can be added if the object is being deleted, found new finalizers []string{"a.b/d"}',
    );
    expect((await kube.post(WIDGETS_PATH, widget('one'))).body.message).toBe(
      'object is being deleted: widgets.example.com "one" already exists',
    );
    expect(
      (await kube.patch(ONE, { metadata: { deletionTimestamp: null } })).body.metadata.deletionTimestamp,
    ).toBeDefined();
    expect((await kube.patch(ONE, { metadata: { finalizers: null } })).status).toBe(200);
    expect((await kube.get(ONE)).status).toBe(404);
  });

  it('should delete a collection by labels', async () => {
    await kube.post(WIDGETS_PATH, widget('two', { size: '1G' }, { labels: { a: 'b' } }));
    const { body } = await kube.delete(`${WIDGETS_PATH}?labelSelector=a%3Db`);
    expect(body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(['two']);
    expect((await kube.get(WIDGETS_PATH)).body.items).toHaveLength(1);
  });

  it('should give a running pod its grace period, and shorten it on demand', async () => {
    const pod = '/api/v1/namespaces/default/pods/p';
    const spec = { nodeName: 'n', containers: [{ name: 'a', image: 'i' }] };
    await kube.post('/api/v1/namespaces/default/pods', { metadata: { name: 'p' }, spec });
    const { body } = await kube.delete(pod);
    expect(body.metadata).toMatchObject({ deletionTimestamp: '2021-01-01T00:00:29Z', deletionGracePeriodSeconds: 30 });
    expect((await kube.delete(pod, { gracePeriodSeconds: 0 })).status).toBe(200);
    expect((await kube.get(pod)).status).toBe(404);
  });
});

describe('listing', () => {
  beforeEach(async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await kube.post(WIDGETS_PATH, widget(name, { size: '1G' }, { labels: { odd: String('ace'.includes(name)) } }));
    }
  });
  const names = ({ body }: { body: { items: { metadata: { name: string } }[] } }): string[] =>
    body.items.map(({ metadata }) => metadata.name);

  it('should give pages at one version, whatever happens meanwhile', async () => {
    const first = await kube.get(`${WIDGETS_PATH}?limit=2`);
    expect(names(first)).toEqual(['a', 'b']);
    expect(first.body.metadata).toMatchObject({ remainingItemCount: 3, resourceVersion: kube.kube.resourceVersion });
    await kube.delete(`${WIDGETS_PATH}/c`);
    await kube.post(WIDGETS_PATH, widget('ca'));
    await kube.patch(`${WIDGETS_PATH}/d`, { spec: { size: '2G' } });
    const second = await kube.get(`${WIDGETS_PATH}?limit=2&continue=${first.body.metadata.continue}`);
    expect(names(second)).toEqual(['c', 'd']);
    expect(second.body.items[1].spec.size).toBe('1G');
    const third = await kube.get(`${WIDGETS_PATH}?limit=2&continue=${second.body.metadata.continue}`);
    expect(names(third)).toEqual(['e']);
    expect(third.body.metadata).toEqual({ continue: '', resourceVersion: first.body.metadata.resourceVersion });
  });

  it('should answer 410 with a way on once the version is gone', async () => {
    const first = await kube.get(`${WIDGETS_PATH}?limit=2`);
    await kube.delete(`${WIDGETS_PATH}/c`);
    kube.kube.expireHistory();
    const { status, body } = await kube.get(`${WIDGETS_PATH}?limit=2&continue=${first.body.metadata.continue}`);
    expect(status).toBe(410);
    expect(body.reason).toBe('Expired');
    expect(names(await kube.get(`${WIDGETS_PATH}?continue=${body.metadata.continue}`))).toEqual(['d', 'e']);
  });

  it('should select by labels and by name', async () => {
    expect(names(await kube.get(`${WIDGETS_PATH}?labelSelector=odd%3Dtrue`))).toEqual(['a', 'c', 'e']);
    expect(names(await kube.get(`${WIDGETS_PATH}?fieldSelector=metadata.name%3Db`))).toEqual(['b']);
    expect(names(await kube.get('/apis/example.com/v1/widgets?fieldSelector=metadata.namespace%3Dother'))).toEqual([]);
  });

  it('should list an exact version', async () => {
    const version = kube.kube.resourceVersion;
    await kube.delete(`${WIDGETS_PATH}/a`);
    expect(names(await kube.get(`${WIDGETS_PATH}?resourceVersion=${version}&resourceVersionMatch=Exact`))).toHaveLength(
      5,
    );
    expect(names(await kube.get(`${WIDGETS_PATH}?resourceVersion=${version}`))).toHaveLength(4);
  });

  it('should leave the kind out of the items of built-in lists', async () => {
    await kube.post(MAPS, { metadata: { name: 'm' }, data: { a: 'b' } });
    const { body } = await kube.get(MAPS);
    expect(body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1', items: [{ metadata: { name: 'm' } }] });
    expect(Object.keys(body.items[0])).toEqual(['metadata', 'data']);
  });

  it('should print a table if asked for', async () => {
    const { body } = await kube.get(WIDGETS_PATH, {
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
    });
    expect(body.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual(['Name', 'Size']);
    expect(body.rows[0].cells).toEqual(['a', '1G']);
  });

  it('should answer in YAML if asked for', async () => {
    const { text } = await kube.get(`${WIDGETS_PATH}/a`, { accept: 'application/yaml' });
    expect(text).toMatch(/^apiVersion: example.com\/v1\nkind: Widget\n/);
  });
});

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
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    await kube.post(path, { metadata: { name: 'c' }, spec });
    const grow = () => kube.patch(`${path}/c`, { spec: { resources: { requests: { storage: '2Gi' } } } });
    expect((await grow()).body.message).toContain('spec is immutable after creation except resources.requests');
    await kube.patch(`${path}/c/status`, { status: { phase: 'Bound', capacity: { storage: '1Gi' } } });
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
