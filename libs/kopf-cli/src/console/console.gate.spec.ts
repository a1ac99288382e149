import { createServer, request, type IncomingHttpHeaders, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { ConsoleGate } from './console.gate.js';

const TOKEN = 'a-token';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

describe('ConsoleGate', () => {
  let server: Server;
  let port: number;
  let gate: ConsoleGate;

  beforeAll(async () => {
    server = createServer((incoming, response) => gate.handle(incoming, response, () => response.end('the console')));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
    gate = new ConsoleGate(port, TOKEN);
  });

  afterAll(() => void server.close());

  function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
      });
      sent.on('error', reject).end();
    });
  }

  it('should make a cookie of the token, by which everything else is let in', async () => {
    const { status, headers, text } = await ask(new URL(gate.address).pathname + new URL(gate.address).search);
    expect([status, text]).toEqual([200, expect.stringContaining('content="0;url=/"')]);
    const [cookie, ...attributes] = headers['set-cookie']![0].split('; ');
    expect(attributes).toEqual(['Path=/', 'HttpOnly', 'SameSite=Strict']);
    expect(await ask('/api/now', { cookie: `other=1; ${cookie}` })).toMatchObject({ status: 200, text: 'the console' });
  });

  it('should lead on to the path that was opened', async () => {
    const { text } = await ask(`/objects/pods?token=${TOKEN}&phase=failing`);
    expect(text).toContain('content="0;url=/objects/pods?phase=failing"');
  });

  it.each<[string, string]>([
    ['another host', `//evil.example/?token=${TOKEN}`],
    ['markup', `/%22%3E%3Cscript%3E?token=${TOKEN}&a="><script>`],
  ])('should not lead to %s', async (_what, path) => {
    const { text } = await ask(path);
    expect(text).not.toMatch(/script>|url=\/\/|url=http/);
  });

  it.each<[string, string, Record<string, string>, string, number]>([
    ['without a token', '/', {}, 'GET', 401],
    ['with a wrong token', '/?token=other', {}, 'GET', 401],
    ['with a wrong cookie', '/', { cookie: 'kopf-console-PORT=other' }, 'GET', 401],
    ['with the token where actions are asked for', `/api/actions/retry?token=${TOKEN}`, {}, 'POST', 401],
    ['under the name of another site', `/?token=${TOKEN}`, { host: 'evil.example' }, 'GET', 403],
    ['under another port', `/?token=${TOKEN}`, { host: 'localhost:1' }, 'GET', 403],
  ])('should refuse a request %s', async (_what, path, headers, method, status) => {
    const own = Object.fromEntries(
      Object.entries(headers).map(([key, text]) => [key, text.replace('PORT', `${port}`)]),
    );
    const answer = await ask(path, own, method);
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain(TOKEN);
    expect(answer.headers).not.toHaveProperty('set-cookie');
  });
});
