import { InProcessWebhooks } from '../admission/webhooks/transport/in-process-webhooks.js';
import type { AuthorizationAttributes } from '../machinery/authorizer.js';
import { type Answer, DEFINITIONS_PATH, Harness, WIDGETS, WIDGETS_PATH, widget } from '../harness.spec-support.js';

const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const ONE = `${WIDGETS_PATH}/one`;
const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (data: object): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data });

let kube: Harness;
const start = async (webhooks = new InProcessWebhooks({})): Promise<void> => {
  kube = await Harness.start({ webhookTransport: webhooks });
  await kube.post(DEFINITIONS_PATH, WIDGETS);
};
const apply = (spec: object, query = 'fieldManager=m', path = ONE): Promise<Answer> =>
  kube.patch(`${path}?${query}`, widget('one', spec), APPLY);
const owners = ({ body }: Answer): string[] =>
  ((body.metadata.managedFields ?? []) as { manager: string; operation: string; time?: string }[]).map(
    ({ manager, operation, time }) => `${operation} ${manager} ${time}`,
  );

beforeEach(() => start());
afterEach(() => kube.kube.stop());

describe("with `managedFields: 'applied'`, objects to which nothing is applied", () => {
  beforeEach(async () => {
    await kube.kube.stop();
    kube = await Harness.start({ managedFields: 'applied' });
    await kube.post(DEFINITIONS_PATH, WIDGETS);
  });

  it('should carry no managed fields, whoever writes them', async () => {
    expect((await kube.post(WIDGETS_PATH, widget('one'))).body.metadata).not.toHaveProperty('managedFields');
    expect((await kube.patch(ONE, { spec: { count: 1 } })).body.metadata).not.toHaveProperty('managedFields');
    expect((await kube.patch(`${ONE}/status`, { status: { a: 1 } })).body.metadata).not.toHaveProperty('managedFields');
  });

  it('should be tracked from the first application on', async () => {
    await kube.post(WIDGETS_PATH, widget('one', { size: '1G', count: 1 }));
    await kube.clock.advance(60_000);
    expect(owners(await apply({ count: 1 }))).toEqual([
      'Apply m undefined',
      'Update before-first-apply 2021-01-01T00:00:59Z',
    ]);
    const conflict = await apply({ count: 2 });
    expect(conflict.body).toMatchObject({
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "before-first-apply" using example.com/v1: .spec.count',
    });
  });
});

describe('applying', () => {
  it('should create, change and leave alone', async () => {
    const created = await apply({ size: '1G', count: 1 });
    expect([created.status, created.body.spec]).toEqual([201, { color: 'red', count: 1, size: '1G' }]);
    const changed = await apply({ size: '2G' });
    expect([changed.status, changed.body.spec]).toEqual([200, { color: 'red', size: '2G' }]);
    await kube.clock.advance(60_000);
    expect((await apply({ size: '2G' })).body).toEqual(changed.body);
  });

  it('should write nothing in a dry run', async () => {
    expect((await apply({ size: '1G' }, 'fieldManager=m&dryRun=All')).status).toBe(201);
    expect((await kube.get(ONE)).status).toBe(404);
  });

  it('should not write what only repeats itself, as the status through the object', async () => {
    await apply({ size: '1G' });
    const { body } = await kube.get(ONE);
    await kube.clock.advance(60_000);
    const again = { ...widget('one', { size: '1G' }), status: { ready: true } };
    expect((await kube.patch(`${ONE}?fieldManager=m`, again, APPLY)).body).toEqual(body);
  });

  it('should keep its account through the status', async () => {
    await apply({ size: '1G' });
    const status = { ...widget('one'), spec: undefined, status: { ready: true } };
    const { body } = await kube.patch(`${ONE}/status?fieldManager=s`, status, APPLY);
    expect(body.status).toEqual({ ready: true });
    expect(body.metadata.managedFields).toMatchObject([
      { manager: 'm', fieldsV1: { 'f:spec': { 'f:size': {} } } },
      { manager: 's', subresource: 'status', fieldsV1: { 'f:status': { 'f:ready': {} } } },
    ]);
  });

  it('should write down updates by the names of their clients', async () => {
    await apply({ size: '1G' });
    await kube.request(
      'PATCH',
      ONE,
      { spec: { count: 3 } },
      {
        'content-type': 'application/merge-patch+json',
        'user-agent': 'operator/1.0 (linux)',
      },
    );
    await kube.patch(`${ONE}?fieldManager=named`, { spec: { color: 'blue' } });
    await kube.patch(ONE, { metadata: { labels: { a: 'b' } } });
    expect(owners(await kube.get(ONE)).map((each) => each.split(' ')[1])).toEqual([
      'm',
      'named',
      'operator',
      'unknown',
    ]);
  });

  it('should forget everybody on request', async () => {
    await apply({ size: '1G' });
    expect((await kube.patch(ONE, { metadata: { managedFields: [{}] } })).body.metadata).not.toHaveProperty(
      'managedFields',
    );
    await kube.patch(`${MAPS}/one?fieldManager=m`, map({ a: '1' }), APPLY);
    const { body } = await kube.put(`${MAPS}/one`, {
      ...map({ a: '1' }),
      metadata: { name: 'one', managedFields: [] },
    });
    expect(body.metadata).not.toHaveProperty('managedFields');
  });

  it('should read YAML', async () => {
    const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata:\n  a: "1"\n';
    expect((await kube.patch(`${MAPS}/one?fieldManager=m`, yaml, APPLY)).body.data).toEqual({ a: '1' });
    expect((await kube.patch(`${MAPS}/one?fieldManager=m`, '{', APPLY)).body.message).toMatch(/^error decoding YAML: /);
  });

  it.each([
    ['', 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch'],
    [
      `fieldManager=${'x'.repeat(129)}`,
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
    ],
    [
      'fieldManager=a%0Ab',
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "a\\nb": invalid character U+000A (at position 1)',
    ],
  ])('should refuse the options %j', async (query, message) => {
    expect((await apply({}, query)).body).toMatchObject({ code: 422, message });
  });

  it('should refuse force elsewhere', async () => {
    const { body } = await kube.patch(`${ONE}?force=true`, {});
    expect(body.message).toBe(
      'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    );
  });
});

describe('applying without the right to create', () => {
  it('should be refused where nothing is', async () => {
    await kube.kube.stop();
    const users = { patcher: { name: 'patcher', groups: [] } };
    const authorizer = {
      authorize: ({ user, verb }: AuthorizationAttributes) => user.name === 'admin' || verb === 'patch',
    };
    kube = await Harness.start({ users, authorizer });
    const patcher = { ...APPLY, authorization: 'Bearer patcher' };
    expect((await kube.patch(`${MAPS}/one?fieldManager=m`, map({}), patcher)).body).toMatchObject({
      code: 403,
      message:
        'configmaps "one" is forbidden: User "patcher" cannot create resource "configmaps" in API group "" in the namespace "default"',
    });
    await kube.post(MAPS, map({}));
    expect((await kube.patch(`${MAPS}/one?fieldManager=m`, map({}), patcher)).status).toBe(200);
  });
});

describe('applying with webhooks', () => {
  const answer = (uid: string, operation: object): object => ({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid,
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify([operation])).toString('base64'),
    },
  });
  const startWith = async (operation: object): Promise<void> => {
    await kube.kube.stop();
    await start(
      new InProcessWebhooks({
        'https://hook.example/': ({ request }: { request: { uid: string } }) => answer(request.uid, operation),
      }),
    );
    await kube.post('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
      metadata: { name: 'hook' },
      webhooks: [
        {
          name: 'hook.spec.example',
          clientConfig: { url: 'https://hook.example' },
          rules: [{ operations: ['*'], apiGroups: ['example.com'], apiVersions: ['*'], resources: ['*'] }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
  };

  it('should give nobody what a webhook adds', async () => {
    await startWith({ op: 'add', path: '/spec/count', value: 5 });
    const { body } = await apply({ size: '1G' });
    expect(body.spec).toEqual({ color: 'red', count: 5, size: '1G' });
    expect(body.metadata.managedFields).toMatchObject([{ manager: 'm', fieldsV1: { 'f:spec': { 'f:size': {} } } }]);
    expect((await apply({ size: '1G', count: 5 }, 'fieldManager=n')).status).toBe(200);
  });

  it('should keep its account where a webhook spoils it', async () => {
    await startWith({ op: 'replace', path: '/metadata/managedFields', value: [{ manager: 'x' }] });
    const answered = await apply({ size: '1G' });
    expect(owners(answered)).toEqual([expect.stringMatching(/^Apply m /)]);
    expect(answered.headers['warning']).toContain('.metadata.managedFields was in an invalid state after admission');
  });
});
