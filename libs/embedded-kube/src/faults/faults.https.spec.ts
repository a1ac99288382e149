import { once } from 'node:events';
import { request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { EmbeddedKube } from '../embedded-kube.js';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const quiet = { debug: () => {}, log: () => {}, warn: () => {}, error: () => {} };

let kube: EmbeddedKube;

const open = async (method: string, path: string, body?: object): Promise<IncomingMessage> => {
  const headers = { authorization: `Bearer ${kube.token}` };
  const outgoing = request(`${kube.url}${path}`, { method, headers, ca: kube.caCertificate, agent: false });
  outgoing.end(body && JSON.stringify(body));
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return response;
};
const send = async (method: string, path: string, body?: object) => {
  const response = await open(method, path, body);
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, headers: response.headers, text };
};
const map = (name: string) => ({ metadata: { name } });

beforeAll(async () => {
  kube = await EmbeddedKube.start({ logger: quiet });
});
afterAll(() => kube.stop());

describe('faults over HTTPS', () => {
  it('should be error responses', async () => {
    kube.faults.reject(429, { retryAfter: 3 });
    expect(await send('GET', '/version')).toMatchObject({ status: 429, headers: { 'retry-after': '3' } });
  });

  it.each([
    ['before', 'lost', 404],
    ['after', 'written', 200],
    ['middle', 'halved', 200],
  ] as const)('should be connections that break %s', async (phase, name, status) => {
    kube.faults.cut(phase, { verb: 'create' });
    await expect(send('POST', CONFIG_MAPS, map(name))).rejects.toThrow(/socket hang up|ECONNRESET|aborted/);
    expect((await send('GET', `${CONFIG_MAPS}/${name}`)).status).toBe(status);
  });

  it('should be lines that break off', async () => {
    const response = await open('GET', `${CONFIG_MAPS}?watch=1&resourceVersion=${kube.resourceVersion}`);
    kube.faults.damageLines('cut');
    await send('POST', CONFIG_MAPS, map('line'));
    let text = '';
    await expect(async () => {
      for await (const chunk of response) text += String(chunk);
    }).rejects.toThrow(/aborted/);
    expect(text).toMatch(/^\{"type":"ADDED","object":\{/);
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  });

  it('should be requests that are never answered, until the client leaves', async () => {
    kube.faults.stall('before', { path: '/version' });
    const controller = new AbortController();
    const outgoing = request(`${kube.url}/version`, {
      ca: kube.caCertificate,
      agent: false,
      signal: controller.signal,
    });
    const failed = once(outgoing, 'error');
    outgoing.end();
    await once(outgoing, 'finish');
    expect((await send('GET', '/healthz')).status).toBe(200);
    controller.abort();
    expect(await failed).toMatchObject([{ name: 'AbortError' }]);
  });

  it('should be a server that goes down and comes back on the same port', async () => {
    const { url } = kube;
    const watch = await open('GET', `${CONFIG_MAPS}?watch=1`);
    const broken = once(watch, 'error');
    watch.resume();
    await kube.faults.goDown();
    expect(await broken).toMatchObject([{ message: 'aborted' }]);
    await expect(send('GET', '/version')).rejects.toThrow(/ECONNREFUSED/);
    await kube.faults.comeBack();
    expect(kube.url).toBe(url);
    expect((await send('GET', `${CONFIG_MAPS}/written`)).status).toBe(200);
  });
});
