import { DEFINITIONS_PATH, Harness, WIDGETS, WIDGETS_PATH, widget } from '../../harness.spec-support.js';
import type { EmbeddedKubeOptions } from '../../embedded-kube.options.js';
import { InProcessWebhooks, type WebhookFunction } from './transport/in-process-webhooks.js';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const MAPS = '/api/v1/namespaces/default/configmaps';

interface Review {
  readonly request: {
    readonly uid: string;
    readonly name?: string;
    readonly subResource?: string;
    readonly operation: string;
    readonly dryRun: boolean;
    readonly userInfo: { readonly username: string };
    readonly object: { readonly data?: Record<string, string> } | null;
    readonly oldObject: object | null;
  };
}

const answer = ({ request }: Review, response: object): object => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  response: { uid: request.uid, allowed: true, ...response },
});
const patch = (...operations: object[]): object => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});
const hook = (name: string, more: object = {}): object => ({
  name: `${name}.spec.example`,
  clientConfig: { url: `https://${name}.example:443` },
  rules: [
    { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['configmaps', 'widgets', 'namespaces'] },
  ],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...more,
});

describe('webhooks', () => {
  let kube: Harness;
  const functions: Record<string, WebhookFunction> = {};
  const asked: Review['request'][] = [];

  const behave = (name: string, behaviour: (review: Review) => object | Promise<object>): void => {
    functions[`https://${name}.example/`] = (review: Review) => {
      asked.push(review.request);
      return behaviour(review);
    };
  };
  const start = async (options: EmbeddedKubeOptions = {}): Promise<void> => {
    kube = await Harness.start({ webhookTransport: new InProcessWebhooks(functions), ...options });
  };
  const configure = async (kind: 'mutating' | 'validating', name: string, ...webhooks: object[]): Promise<void> => {
    const { status, text } = await kube.post(`${GROUP}/${kind}webhookconfigurations`, { metadata: { name }, webhooks });
    expect([status, text]).toEqual([201, expect.any(String)]);
  };

  beforeEach(() => {
    asked.length = 0;
  });
  afterEach(() => kube.kube.stop());

  it('should be asked from their creation to their deletion, without any delay', async () => {
    await start();
    behave('all', (review) =>
      answer(review, { allowed: false, status: { message: 'no', code: 403, reason: 'Forbidden' } }),
    );
    await configure('validating', 'one', hook('all'));
    expect((await kube.post(MAPS, { metadata: { name: 'a' } })).body).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: 'admission webhook "all.spec.example" denied the request: no',
    });
    await kube.patch(`${GROUP}/validatingwebhookconfigurations/one`, { webhooks: [hook('all', { rules: [] })] });
    expect((await kube.post(MAPS, { metadata: { name: 'a' } })).status).toBe(201);
    await kube.patch(`${GROUP}/validatingwebhookconfigurations/one`, { webhooks: [hook('all')] });
    expect((await kube.delete(`${MAPS}/a`)).status).toBe(403);
    await kube.delete(`${GROUP}/validatingwebhookconfigurations/one`);
    expect((await kube.delete(`${MAPS}/a`)).status).toBe(200);
  });

  it('should change objects that get their defaults and are validated again', async () => {
    await start();
    await kube.post(DEFINITIONS_PATH, WIDGETS);
    behave('size', (review) => answer(review, patch({ op: 'replace', path: '/spec/size', value: 'x' })));
    behave('color', (review) => answer(review, patch({ op: 'remove', path: '/spec/color' })));
    await configure('mutating', 'color', hook('color', { objectSelector: { matchLabels: { test: 'color' } } }));
    await configure('mutating', 'size', hook('size', { objectSelector: { matchLabels: { test: 'size' } } }));
    const painted = await kube.post(
      WIDGETS_PATH,
      widget('a', { size: '1G', color: 'blue' }, { labels: { test: 'color' } }),
    );
    expect(painted.body.spec).toEqual({ size: '1G', color: 'red' });
    const shrunk = await kube.post(WIDGETS_PATH, widget('b', { size: '1G' }, { labels: { test: 'size' } }));
    expect(shrunk.status).toBe(422);
  });

  it('should fail closed or open once their time is over', async () => {
    const warnings: string[] = [];
    const logger = { debug: () => {}, log: () => {}, warn: (text: string) => warnings.push(text), error: () => {} };
    await start({ logger });
    behave('hanging', () => new Promise(() => {}));
    await configure('validating', 'one', hook('hanging', { timeoutSeconds: 7 }));
    const closed = kube.post(MAPS, { metadata: { name: 'a' } });
    await kube.clock.advance(6900);
    await kube.clock.advance(200);
    expect((await closed).body.message).toBe(
      'Internal error occurred: failed calling webhook "hanging.spec.example": failed to call webhook: Post "https://hanging.example:443/?timeout=7s": context deadline exceeded',
    );
    await kube.patch(`${GROUP}/validatingwebhookconfigurations/one`, {
      webhooks: [hook('hanging', { timeoutSeconds: 7, failurePolicy: 'Ignore' })],
    });
    const open = kube.post(MAPS, { metadata: { name: 'a' } });
    await kube.clock.advance(7100);
    expect((await open).status).toBe(201);
    expect(warnings).toEqual([expect.stringContaining('Failing open: failed calling webhook "hanging.spec.example"')]);
  });

  it('should not get more time than the request has', async () => {
    await start();
    behave('hanging', () => new Promise(() => {}));
    for (const name of ['a', 'b']) {
      await configure('mutating', name, hook('hanging', { timeoutSeconds: 30, failurePolicy: 'Ignore' }));
    }
    const refusal = { code: 504, reason: 'Timeout' };
    const limited = kube.post(`${MAPS}?timeout=2s`, { metadata: { name: 'a' } });
    await kube.clock.advance(2001);
    expect((await limited).body).toMatchObject(refusal);
    const chained = kube.post(MAPS, { metadata: { name: 'a' } });
    await kube.clock.advance(34_001);
    expect((await chained).body).toMatchObject(refusal);
  });

  it('should not lose changes that come while they think', async () => {
    await start();
    await kube.post(MAPS, { metadata: { name: 'a' } });
    behave('slow', async (review) => {
      await Promise.resolve();
      return answer(review, {});
    });
    await configure('validating', 'one', hook('slow'));
    const keys = ['x', 'y', 'z'];
    await Promise.all(keys.map((key) => kube.patch(`${MAPS}/a`, { data: { [key]: '1' } })));
    expect((await kube.get(`${MAPS}/a`)).body.data).toEqual({ x: '1', y: '1', z: '1' });
  });

  it('should see who writes: a user, a test, the server itself', async () => {
    await start({ users: { secret: { name: 'alice', groups: ['staff'] } } });
    behave('who', (review) => answer(review, {}));
    const everything = {
      operations: ['*'],
      apiGroups: ['*'],
      apiVersions: ['*'],
      resources: ['configmaps', 'namespaces/*'],
    };
    await configure('validating', 'one', hook('who', { rules: [everything] }));
    await kube.request('POST', MAPS, { metadata: { name: 'a' } }, { authorization: 'Bearer secret' });
    await kube.kube.client.create({ group: '', plural: 'configmaps' }, 'default', { metadata: { name: 'b' } });
    await kube.post('/api/v1/namespaces', { metadata: { name: 'doomed' } });
    await kube.delete('/api/v1/namespaces/doomed');
    await kube.clock.advance(1000);
    expect(
      asked.map((each) => `${each.userInfo.username} ${each.operation} ${each.name} ${each.subResource ?? ''}`.trim()),
    ).toEqual([
      'alice CREATE a',
      'admin CREATE b',
      'admin CREATE doomed',
      'admin DELETE doomed',
      'system:kube-controller-manager UPDATE doomed status',
      'system:kube-controller-manager UPDATE doomed finalize',
    ]);
  });

  it('should find services where the options say', async () => {
    const urls: unknown[] = [];
    await start({
      webhookServices: { 'team/hooks:8443': 'https://127.0.0.1:1234' },
      webhookTransport: {
        post: ({ url, endpoint, body }) => {
          urls.push([url, endpoint]);
          const review = JSON.parse(body) as Review;
          return Promise.resolve({ status: 200, headers: {}, body: JSON.stringify(answer(review, {})) });
        },
        close: () => Promise.resolve(),
      },
    });
    await kube.post('/api/v1/namespaces', { metadata: { name: 'team' } });
    const service = { namespace: 'team', name: 'hooks', port: 8443, path: '/check' };
    await configure('validating', 'known', hook('known', { clientConfig: { service } }));
    expect((await kube.post(MAPS, { metadata: { name: 'a' } })).status).toBe(201);
    expect(urls).toEqual([['https://hooks.team.svc:8443/check?timeout=10s', 'https://127.0.0.1:1234']]);
    await configure(
      'validating',
      'unknown',
      hook('unknown', { clientConfig: { service: { ...service, name: 'other' } } }),
    );
    expect((await kube.post(MAPS, { metadata: { name: 'b' } })).body.message).toContain(
      'Post "https://other.team.svc:8443/check?timeout=10s": service "other" not found',
    );
    await kube.post('/api/v1/namespaces/team/services', {
      metadata: { name: 'other' },
      spec: { ports: [{ port: 8443 }] },
    });
    expect((await kube.post(MAPS, { metadata: { name: 'b' } })).body.message).toContain(
      'no endpoints available for service "other"',
    );
  });

  it('should ask again those who want to see what others changed, but never a third time', async () => {
    await start();
    for (const name of ['a', 'b']) {
      behave(name, (review) => {
        const value = `${review.request.object?.data?.['trace'] ?? ''}${name}`;
        return answer(review, patch({ op: 'add', path: '/data', value: { trace: value } }));
      });
      await configure('mutating', name, hook(name, { reinvocationPolicy: 'IfNeeded' }));
    }
    expect((await kube.post(MAPS, { metadata: { name: 'a' } })).body.data).toEqual({ trace: 'abab' });
  });

  it('should not ask again where nothing changed', async () => {
    await start();
    behave('a', (review) => answer(review, patch({ op: 'add', path: '/data', value: { x: 'y' } })));
    await configure('mutating', 'a', hook('a', { reinvocationPolicy: 'IfNeeded' }));
    await kube.post(MAPS, { metadata: { name: 'a' }, data: { x: 'y' } });
    expect(asked).toHaveLength(1);
  });

  it('should say that a run is dry', async () => {
    await start();
    behave('a', (review) => answer(review, { allowed: false }));
    await configure('validating', 'one', hook('a'));
    expect((await kube.post(`${MAPS}?dryRun=All`, { metadata: { name: 'a' } })).status).toBe(400);
    expect(asked[0]).toMatchObject({ dryRun: true });
  });
});
