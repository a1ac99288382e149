import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { gunzipSync } from 'node:zlib';
import { EmbeddedKube } from '../embedded-kube.js';

const MAPS = '/api/v1/namespaces/default/configmaps';

let kube: EmbeddedKube;
let agent: Agent;
const open = async (path: string, { method = 'GET', body = '', ...headers }: Record<string, string> = {}) => {
  const all = { authorization: `Bearer ${kube.token}`, 'content-type': 'application/json', ...headers };
  const outgoing = request(`${kube.url}${path}`, { ca: kube.caCertificate, agent, method, headers: all }).end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return response;
};
const answer = async (...parameters: Parameters<typeof open>) => {
  const response = await open(...parameters);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) };
};
const metrics = async (pattern: RegExp): Promise<string[]> =>
  (await answer('/metrics')).bytes
    .toString()
    .split('\n')
    .filter((line) => pattern.test(line));

beforeAll(async () => {
  agent = new Agent({ keepAlive: true });
  kube = await EmbeddedKube.start({ authorization: 'rbac', users: { other: { name: 'jane', groups: [] } } });
});
afterAll(async () => {
  agent.destroy();
  await kube.stop();
});

describe('answers over HTTPS', () => {
  it('should carry an Audit-Id, that of the client if it sends one', async () => {
    const [first, second, own] = [await answer(MAPS), await answer(MAPS), await answer(MAPS, { 'audit-id': 'my-id' })];
    expect(first.headers['audit-id']).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(second.headers['audit-id']).not.toBe(first.headers['audit-id']);
    expect(own.headers['audit-id']).toBe('my-id');
  });

  it('should not be kept by caches, nor be guessed to be something else', async () => {
    for (const path of [MAPS, '/version', '/nope', '/api/v1/namespaces/nope']) {
      expect((await answer(path)).headers['cache-control']).toBe('no-cache, private');
    }
    expect((await answer('/openid/v1/jwks')).headers['cache-control']).toBe('public, max-age=3600');
    expect((await answer('/nope')).headers['x-content-type-options']).toBe('nosniff');
    expect((await answer(MAPS)).headers['x-content-type-options']).toBeUndefined();
  });

  it('should be compressed if they are longer than 128 KiB and the client accepts it', async () => {
    const data = { text: 'x'.repeat(200_000) };
    await answer(MAPS, { method: 'POST', body: JSON.stringify({ metadata: { name: 'large' }, data }) });
    const { headers, bytes } = await answer(`${MAPS}/large`, { 'accept-encoding': 'deflate, gzip;q=1.0' });
    expect(headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: 'Accept-Encoding',
      'content-type': 'application/json',
    });
    expect(bytes.length).toBeLessThan(10_000);
    expect(JSON.parse(gunzipSync(bytes).toString())).toMatchObject({ kind: 'ConfigMap', data });
    const plain = await answer(`${MAPS}/large`);
    expect([plain.headers['content-encoding'], plain.bytes.length > 200_000]).toEqual([undefined, true]);
    const small = await answer('/api/v1/namespaces/default', { 'accept-encoding': 'gzip' });
    expect(small.headers['content-encoding']).toBeUndefined();
  });
});

describe('/metrics', () => {
  it('should count requests by what they asked for, under the names of the real server', async () => {
    const apply = 'application/apply-patch+yaml';
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'counted' } });
    await answer(`${MAPS}/counted?fieldManager=m`, { method: 'PATCH', body, 'content-type': apply });
    await answer(`${MAPS}/missing`);
    await answer(`${MAPS}/missing`);
    const labels = (code: number, verb: string): string =>
      `code="${code}",component="apiserver",dry_run="",group="",resource="configmaps",scope="resource",subresource="",verb="${verb}",version="v1"`;
    expect(await metrics(/^apiserver_request_total.*(code="404".*configmaps|APPLY)/)).toEqual([
      `apiserver_request_total{${labels(201, 'APPLY')}} 1`,
      `apiserver_request_total{${labels(404, 'GET')}} 2`,
    ]);
    const latencies = await metrics(/^apiserver_request_duration_seconds.*verb="APPLY"/);
    expect(latencies).toHaveLength(26);
    expect(latencies[23]).toMatch(/le="\+Inf"} 1$/);
    expect(await metrics(/^apiserver_resource_objects.*"configmaps"/)).toHaveLength(1);
  });

  it('should count the watches that are open', async () => {
    const gauge = /^apiserver_longrunning_requests.*"secrets"/;
    const watch = await open('/api/v1/secrets?watch=true');
    expect((await metrics(gauge)).join()).toMatch(/scope="cluster",.*verb="WATCH",version="v1"} 1$/);
    const closed = once(watch, 'close');
    watch.destroy();
    await closed;
    while (!(await metrics(gauge)).join().endsWith(' 0'));
  });

  it('should not count paths that there are not, so that clients cannot make series without end', async () => {
    for (const path of ['/nope/1', '/api/v1/nope', '/apis/no.group/v1/nope']) await answer(path);
    expect((await metrics(/nope\/1|no\.group/)).join()).toBe('');
  });

  it('should be shown to those only who may read it', async () => {
    expect((await answer('/metrics', { authorization: 'Bearer other' })).status).toBe(403);
    expect((await answer('/metrics', { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await answer('/metrics')).headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
  });
});
