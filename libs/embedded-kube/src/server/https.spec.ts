import { once } from 'node:events';
import { request, type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { EmbeddedKube } from '../embedded-kube.js';

let kube: EmbeddedKube;
const quiet = { debug: () => {}, log: () => {}, warn: () => {}, error: () => {} };

const send = async (
  path: string,
  { body, ...options }: RequestOptions & { body?: string } = {},
): Promise<IncomingMessage> => {
  const outgoing = request(`${kube.url}${path}`, {
    ca: kube.caCertificate,
    headers: { authorization: `Bearer ${kube.token}` },
    agent: false,
    ...options,
  });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return response;
};
const read = async (response: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
};
const answer = async (...parameters: Parameters<typeof send>) => {
  const response = await send(...parameters);
  return { status: response.statusCode, headers: response.headers, text: await read(response) };
};

beforeAll(async () => {
  kube = await EmbeddedKube.start({
    logger: quiet,
    users: { other: { name: 'jane', groups: [] } },
    authorizer: { authorize: ({ user, path }) => user.name === 'admin' || path === '/healthz' },
  });
});
afterAll(() => kube.stop());

describe('the server over HTTPS', () => {
  it('should not send an OpenAPI document again that the client has', async () => {
    const authorization = `Bearer ${kube.token}`;
    const first = await answer('/openapi/v2');
    const etag = String(first.headers.etag);
    const known = await answer('/openapi/v2', { headers: { authorization, 'if-none-match': `"other", ${etag}` } });
    expect([first.status, known.status, known.text, known.headers.etag]).toEqual([200, 304, '', etag]);
    const other = await answer('/openapi/v2', { headers: { authorization, 'if-none-match': '"other"' } });
    expect([other.status, other.text.length]).toEqual([200, first.text.length]);
  });

  it('should be trusted by its own authority only', async () => {
    expect(await answer('/version')).toMatchObject({
      status: 200,
      text: expect.stringContaining('"minor": "36"') as string,
    });
    await expect(answer('/version', { ca: undefined })).rejects.toThrow(/certificate/);
  });

  it('should refuse a wrong token with 401', async () => {
    const { status, text } = await answer('/api/v1/pods', { headers: { authorization: 'Bearer wrong' } });
    expect(status).toBe(401);
    expect(JSON.parse(text)).toMatchObject({
      kind: 'Status',
      reason: 'Unauthorized',
      message: 'Unauthorized',
      code: 401,
    });
  });

  it.each([
    ['/api/v1/pods', 'pods is forbidden: User "jane" cannot list resource "pods" in API group "" at the cluster scope'],
    [
      '/apis/apps/v1/namespaces/n/deployments/d/status',
      'deployments.apps "d" is forbidden: User "jane" cannot get resource "deployments/status" in API group "apps" in the namespace "n"',
    ],
    ['/apis', 'forbidden: User "jane" cannot get path "/apis"'],
  ])('should forbid %s by name', async (path, message) => {
    const { status, text } = await answer(path, { headers: { authorization: 'Bearer other' } });
    expect(status).toBe(403);
    expect(JSON.parse(text)).toMatchObject({ reason: 'Forbidden', message, code: 403 });
  });

  it('should tell its health to everybody', async () => {
    expect(await answer('/healthz', { headers: {} })).toMatchObject({ status: 200, text: 'ok' });
    expect((await answer('/api', { headers: {} })).status).toBe(403);
  });

  it.each([
    ['told', { 'content-length': 4_000_000 }],
    ['streamed', { 'transfer-encoding': 'chunked' }],
  ])('should refuse a body that is too large, %s before', async (_name, headers) => {
    const { status, text } = await answer('/api/v1/namespaces/default/configmaps', {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${kube.token}` },
      body: 'x'.repeat(4_000_000),
    });
    expect(status).toBe(413);
    expect(JSON.parse(text)).toMatchObject({
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: limit is 3145728',
    });
  });

  it('should send the head of a watch at once, and each change as it happens', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    const response = await send(`${path}?watch=1&fieldSelector=metadata.name%3Dm`);
    expect(response.statusCode).toBe(200);
    const line = once(response, 'data');
    const body = JSON.stringify({ metadata: { name: 'm' } });
    expect((await answer(path, { method: 'POST', body })).status).toBe(201);
    const [chunk] = (await line) as [Buffer];
    expect(JSON.parse(String(chunk))).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'm' } } });
    expect(kube.openWatches).toBe(1);
    response.destroy();
    await vi.waitFor(() => expect(kube.openWatches).toBe(0));
  });

  it('should read what kubectl sends in protobuf', async () => {
    const bytes =
      '6b3873000a0f0a0276311209436f6e6669674d6170121b0a110a016112001a0022002a00320038004200' +
      '12060a016212016' +
      '31a002200';
    const outgoing = request(`${kube.url}/api/v1/namespaces/default/configmaps?fieldValidation=Strict`, {
      method: 'POST',
      ca: kube.caCertificate,
      agent: false,
      headers: { authorization: `Bearer ${kube.token}`, 'content-type': 'application/vnd.kubernetes.protobuf' },
    });
    outgoing.end(Buffer.from(bytes, 'hex'));
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    expect(JSON.parse(await read(response))).toMatchObject({
      kind: 'ConfigMap',
      metadata: { name: 'a' },
      data: { b: 'c' },
    });
  });

  it('should stop fast, though watches and idle connections are open', async () => {
    const other = await EmbeddedKube.start({ logger: quiet });
    const outgoing = request(`${other.url}/api/v1/pods?watch=1`, {
      ca: other.caCertificate,
      headers: { authorization: `Bearer ${other.token}` },
    });
    outgoing.end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const ended = new Promise((resolve) => response.once('end', resolve).once('error', resolve).resume());
    const begin = performance.now();
    await other.stop();
    await ended;
    expect(performance.now() - begin).toBeLessThan(500);
  });

  it('should say that a port is taken', async () => {
    const port = Number(new URL(kube.url).port);
    await expect(EmbeddedKube.start({ port, logger: quiet })).rejects.toThrow(/EADDRINUSE/);
  });

  it('should write a kubeconfig', () => {
    expect(kube.kubeconfig).toContain(`server: ${kube.url}`);
    expect(kube.kubeconfig).toContain(`token: ${kube.token}`);
  });
});
