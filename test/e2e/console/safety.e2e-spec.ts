import { request, type OutgoingHttpHeaders } from 'node:http';
import { OnCreate, OnEvent, OnUpdate, PermanentError, TemporaryError, type ChangeContext } from 'nestjs-kopf';
import type { KopfConsoleOptions } from 'nestjs-kopf-console';
import { PLATFORMS, type Platform } from '../../support/operators/served.operator.js';
import { ConsoleWorld } from './console.world.js';

const CANARY = 'canary-of-the-secret-7f3a';
const ENCODED = Buffer.from(CANARY).toString('base64');

const POLICY = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const ACTING: KopfConsoleOptions = {
  actions: {
    allow: ['retry', 'postpone', 'complete', 'repeat', 'release', 'pause', 'resume', 'memo'],
    authenticate: () => ({ user: 'alice' }),
    authorize: () => true,
  },
};

/** Paths by which somebody could get at files, or at what is not his. */
const PATHS = [
  '/kopf/assets/../../../package.json',
  '/kopf/assets/..%2f..%2f..%2fpackage.json',
  '/kopf/assets/%2e%2e/%2e%2e/package.json',
  '/kopf/assets/..%5c..%5cpackage.json',
  '/kopf/assets/%00.js',
  '/kopf/assets//etc/passwd',
  '/kopf/assets/.htaccess',
  '/kopf/api/objects/pods/ns/..%2f..%2fsecrets',
  '/kopf/api/objects/pods/../overview',
  '/kopf/api/objects/%ff/ns/a',
  '/kopf/api/objects/kopfexamples.kopf.dev/ns/a%2fstatus',
  '/kopf/api/actions/retry',
  '/kopf/api/__proto__',
  '/kopf/api/constructor',
  '/kopf/api/overview?operator=%0d%0aset-cookie:%20a=b',
  '/kopf/api/objects?sort=%0d%0ax:%20y',
  '/kopf/assets/%0d%0aset-cookie:a=b',
];

/** Requests as pages of other sites, or nobody's page, could make them. */
const FORGERIES: readonly [who: string, headers: OutgoingHttpHeaders][] = [
  ['a form', { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example' }],
  ['a form with a text', { 'content-type': 'text/plain', origin: 'https://evil.example' }],
  ['a script of another site', { 'content-type': 'application/json', origin: 'https://evil.example' }],
  [
    'another site, as browsers say',
    { 'content-type': 'application/json', 'x-kopf-console': '1', 'sec-fetch-site': 'cross-site' },
  ],
  [
    'another host of the site',
    { 'content-type': 'application/json', 'x-kopf-console': '1', 'sec-fetch-site': 'same-site' },
  ],
  ['another origin', { 'content-type': 'application/json', 'x-kopf-console': '1', origin: 'https://evil.example' }],
  ['no origin at all', { 'content-type': 'application/json', 'x-kopf-console': '1', origin: 'null' }],
  ['no header of the page', { 'content-type': 'application/json' }],
  ['another type', { 'content-type': 'text/plain', 'x-kopf-console': '1' }],
];

const BODIES = [
  '[]',
  '"a"',
  'null',
  '{"object":1}',
  '{"object":{"resource":{},"name":[]}}',
  '{"dryRun":"no"}',
  '{"seconds":"1e99"}',
  `{"object":{"resource":"a","name":"${'x'.repeat(2000)}"}}`,
];

/** Sends a request as it stands, which `fetch` would put right. */
function send(url: string, method: string, path: string, headers: OutgoingHttpHeaders = {}, body?: string) {
  const { hostname, port } = new URL(url);
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Leaks whatever it can: in errors, filters, results, progress, memos, and events. */
class Leaky {
  static failsInFilters = false;

  static quote(body: unknown): boolean {
    if (Leaky.failsInFilters) throw new Error(`The filter has met ${(body as any).data.password}`);
    return true;
  }

  @OnCreate('secrets')
  createSecret({ body, memo, logger }: ChangeContext) {
    memo.token = (body as any).data.password;
    logger.warn(`Seen ${(body as any).data.password}`);
    throw new TemporaryError(`Bad password:\n${(body as any).data.password}, or\n${CANARY}`, { delay: 600 });
  }

  /** Is asked for each event, and again when somebody opens the object. */
  @OnEvent('secrets', { when: ({ body }) => Leaky.quote(body) })
  noteSecret() {}

  @OnUpdate('secrets')
  updateSecret({ diff }: ChangeContext) {
    throw new PermanentError(`Bad change: ${JSON.stringify(diff)}`);
  }

  @OnCreate('configmaps')
  createMap({ body }: ChangeContext) {
    throw new TemporaryError(`Bad map: ${(body as any).data.password}`, { delay: 600 });
  }
}

describe.each(Object.keys(PLATFORMS) as Platform[])('The safety of the console on %s', (platform) => {
  it('should have a strict policy on every answer', async () => {
    const world = await ConsoleWorld.start({ platform });
    const paths = [
      '',
      '/',
      '/objects/pods/ns/a',
      '/assets/none.js',
      '/api/overview',
      '/api/nothing',
      '/api/objects?limit=x',
    ];
    for (const path of paths) {
      const { headers } = await send(world.served.address, 'GET', `/kopf${path}`);
      expect(headers, path).toMatchObject(POLICY);
      expect(headers['set-cookie'], path).toBeUndefined();
    }
  });

  it('should answer nothing of files and of other paths, and let nobody write headers', async () => {
    const world = await ConsoleWorld.start({ platform });
    for (const path of PATHS) {
      const { status, text, headers } = await world.harness.clock.runUntil(send(world.served.address, 'GET', path));
      expect([400, 404], path).toContain(status);
      expect(text, path).not.toContain('dependencies');
      expect(headers['set-cookie'], path).toBeUndefined();
      expect(headers.x, path).toBeUndefined();
    }
  });

  it('should do nothing for pages of others', async () => {
    const world = await ConsoleWorld.start({ platform, console: ACTING });
    const body = JSON.stringify({ dryRun: false });
    for (const [who, headers] of FORGERIES) {
      const answer = await send(world.served.address, 'POST', '/kopf/api/actions/pause', headers, body);
      expect([400, 403, 415], who).toContain(answer.status);
      expect(world.operator.pauseStatus.paused, who).toBe(false);
    }
  });

  it('should act for its own page, also behind a proxy', async () => {
    const world = await ConsoleWorld.start({ platform, console: ACTING });
    const own = { 'content-type': 'application/json', 'x-kopf-console': '1' };
    const body = JSON.stringify({ dryRun: false });
    const pause = (headers: OutgoingHttpHeaders) =>
      send(world.served.address, 'POST', '/kopf/api/actions/pause', { ...own, ...headers }, body);
    const { host } = new URL(world.served.address);
    expect(await pause({ 'sec-fetch-site': 'same-origin' })).toMatchObject({ status: 200 });
    expect(await pause({ origin: `http://${host}` })).toMatchObject({ status: 200 });
    expect(await pause({ origin: 'https://ops.example', 'x-forwarded-host': 'ops.example' })).toMatchObject({
      status: 200,
    });
    expect(world.operator.pauseStatus.paused).toBe(true);
  });

  it('should not answer pages of other sites', async () => {
    const world = await ConsoleWorld.start({ platform });
    const ask = (headers: OutgoingHttpHeaders) => send(world.served.address, 'GET', '/kopf/api/overview', headers);
    expect(await ask({ 'sec-fetch-site': 'cross-site' })).toMatchObject({ status: 403 });
    const { headers } = await ask({ origin: `http://${new URL(world.served.address).host}` });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('should not be served for a name that somebody else has let lead here', async () => {
    const world = await ConsoleWorld.start({ platform });
    const { host, port } = new URL(world.served.address);
    const ask = (path: string, name: string) => send(world.served.address, 'GET', path, { host: name });
    for (const path of ['/kopf/', '/kopf/api/overview', '/kopf/api/stream']) {
      expect(await ask(path, `evil.example:${port}`), path).toMatchObject({ status: 403 });
    }
    expect(await ask('/kopf/api/overview', host)).toMatchObject({ status: 200 });
    const named = await ConsoleWorld.start({ platform, console: { hosts: ['Ops.example'] } });
    expect(await send(named.served.address, 'GET', '/kopf/api/overview', { host: 'ops.example' })).toMatchObject({
      status: 200,
    });
  });

  it('should take no other bodies', async () => {
    const world = await ConsoleWorld.start({ platform, console: ACTING });
    for (const body of BODIES) expect(await world.post('retry', body), body).toMatchObject({ status: 400 });
  });
});

describe('What must not be shown', () => {
  it('should appear in no answer and in no stream', async () => {
    const world = await ConsoleWorld.start({
      handlers: [Leaky],
      console: {
        ...ACTING,
        redact: [{ resource: 'configmaps', fields: ['data.password'] }],
        traceUrl: 'https://t.example/{traceId}',
      },
    });
    const { harness } = world;
    const stream = await world.stream('log,objects,now,handlers,watches,webhooks,memory');
    const applied = JSON.stringify({ data: { password: ENCODED }, stringData: { password: CANARY } });
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': applied, note: CANARY };
    await harness.send('POST', '/api/v1/namespaces/ns/secrets', {
      metadata: { name: 'hidden', annotations },
      data: { password: ENCODED },
    });
    await harness.send('POST', '/api/v1/namespaces/ns/configmaps', {
      metadata: { name: 'hidden', annotations },
      data: { password: CANARY, open: 'shown' },
    });
    await harness.advance(5);
    const [secret] = (await world.get('objects?resource=secrets')).items;
    await harness.send('POST', '/api/v1/namespaces/ns/events', {
      metadata: { name: 'leak', namespace: 'ns' },
      involvedObject: { apiVersion: 'v1', kind: 'Secret', name: 'hidden', namespace: 'ns', uid: secret.uid },
      reason: 'Leak',
      message: `It is ${CANARY}`,
    });
    await harness.send('PATCH', '/api/v1/namespaces/ns/secrets/hidden', { data: { more: ENCODED } });
    await harness.advance(5);
    const reference = { resource: 'secrets', kind: 'Secret', namespace: 'ns', name: 'hidden' };
    const openSecret = async () => {
      Leaky.failsInFilters = true;
      return world.get('objects/secrets/ns/hidden').finally(() => (Leaky.failsInFilters = false));
    };
    const answers = [
      ...(await Promise.all(
        ['overview', 'now', 'objects', 'handlers', 'watches', 'coordination', 'webhooks', 'memory', 'permissions'].map(
          (path) => world.get(path),
        ),
      )),
      await openSecret(),
      await world.get('objects/configmaps/ns/hidden'),
      await world.post('memo', { object: reference, dryRun: false }),
      await world.post('retry', { object: reference }),
      await world.post('retry', { object: reference, dryRun: false }),
      await world.post('complete', { object: reference, handler: 'createSecret', dryRun: false }),
    ];
    await harness.advance(5);
    await stream.shows(() => expect(stream.log.some(({ object }) => object?.name === 'hidden')).toBe(true));
    const shown = JSON.stringify(answers) + stream.text;
    expect(shown).not.toContain(CANARY);
    expect(shown).not.toContain(ENCODED);
    // It is no proof that nothing was said at all.
    expect(shown).toContain('"open":"shown"');
    expect(answers.at(-6)).toMatchObject({
      body: { data: { password: '***' } },
      kubernetesEvents: [{ reason: 'Leak', message: '***' }],
    });
    expect(answers.at(-6).handlers).toContainEqual(
      expect.objectContaining({ id: 'noteSecret', exclusion: { filter: 'error', wanted: '***' } }),
    );
    expect(stream.log.some(({ call }) => call?.error === '***')).toBe(true);
  });

  it('should not be a copy of the object that kubectl has left', async () => {
    const world = await ConsoleWorld.start();
    const stream = await world.stream('log');
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': CANARY };
    await world.harness.create('applied', { metadata: { annotations } });
    await world.harness.advance(5);
    const details = await world.get('objects/kopfexamples.kopf.dev/ns/applied');
    await stream.shows(() => expect(stream.log.some(({ type }) => type === 'change')).toBe(true));
    expect(JSON.stringify(details) + stream.text).not.toContain(CANARY);
    expect(details.body.metadata.annotations).toMatchObject({
      'kubectl.kubernetes.io/last-applied-configuration': '***',
    });
  });

  it('should leave what objects hold as it is, as text in JSON', async () => {
    const world = await ConsoleWorld.start();
    const stream = await world.stream('log');
    const payloads = [
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      "javascript:alert('1')",
      '\u2028\u2029\u0000\u001b[31m',
      '</textarea><svg/onload=alert(1)>',
      '{{constructor.constructor("alert(1)")()}}',
      '\n\ndata: {"type":"reset"}\n\n',
      'id: 9-9\nevent: message',
    ];
    const spec = Object.fromEntries(payloads.map((payload, index) => [`field${index}`, payload]));
    await world.harness.create('payloads', { spec, metadata: { annotations: spec } });
    await world.harness.advance(5);
    const details = await world.get('objects/kopfexamples.kopf.dev/ns/payloads');
    expect(details.body.spec).toEqual(spec);
    expect(details.body.metadata.annotations).toMatchObject(spec);
    await stream.shows(() => expect(stream.log.some(({ type }) => type === 'change')).toBe(true));
    // Nothing that an object holds ends a message of the stream, or begins another one.
    expect(stream.messages.filter(({ type }) => type === 'reset')).toEqual([]);
    expect(stream.lastEventId).toMatch(/^\d+-\d+$/);
    const added = stream.log.find(({ change }) => change?.type === 'added');
    expect(added?.change?.fields).toContainEqual({ path: ['spec', 'field6'], old: null, new: payloads[6] });
  });
});
