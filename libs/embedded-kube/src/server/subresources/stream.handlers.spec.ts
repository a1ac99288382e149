import { Harness } from '../../harness.spec-support.js';

const PODS = '/api/v1/namespaces/default/pods';

describe('streams of simulated pods', () => {
  let server: Harness;
  beforeAll(async () => {
    server = await Harness.start({ pods: true });
    const spec = { containers: [{ name: 'main', image: 'i' }] };
    await server.post(PODS, { metadata: { name: 'web' }, spec });
    await server.clock.advance(1000);
  });
  afterAll(() => server.kube.stop());

  it.each([
    [
      'exec?command=ls',
      'container main of pod default/web is simulated by embedded-kube: no command can be executed in it',
    ],
    [
      'attach?stdout=1',
      'container main of pod default/web is simulated by embedded-kube: there is no process to attach to',
    ],
    ['portforward', 'pod default/web is simulated by embedded-kube: nothing listens on its ports'],
  ])('should say what the pod is, asked by %s', async (path, message) => {
    for (const method of ['GET', 'POST']) {
      const { status, body } = await server.request(method, `${PODS}/web/${path}`);
      expect([status, body.message]).toEqual([400, message]);
    }
    expect((await server.request('PUT', `${PODS}/web/${path}`, '')).status).toBe(405);
  });

  it.each([
    [`${PODS}/web/proxy/index.html`, 'pod web'],
    [`${PODS}/http:web:80/proxy/`, 'pod http:web:80'],
    ['/api/v1/nodes/embedded-kube/proxy/healthz', 'node embedded-kube'],
    ['/api/v1/namespaces/default/services/kubernetes/proxy/', 'service kubernetes'],
  ])('should say that nothing listens at %s', async (path, what) => {
    const { status, body } = await server.get(path);
    const reason = `${what} is simulated by embedded-kube: nothing listens there`;
    expect([status, body.message]).toEqual([503, `error trying to reach service: ${reason}`]);
  });

  it('should have empty logs', async () => {
    expect(await server.get(`${PODS}/web/log`)).toMatchObject({ status: 200, text: '' });
  });
});
