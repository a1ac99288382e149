import { connect } from 'node:net';
import { AdmissionRequestError } from '../review/admission.errors.js';
import type { AdmissionCall, AdmissionReviewer } from '../../reviews/admission.review.js';
import { allowance, deferred, REVIEW, send, serve } from '../../../../../test/support/webhooks/served.webhooks.js';
import { VirtualClock } from '../../testing/time/virtual.clock.js';
import { WebhookServer } from './webhook.server.js';

const LOCAL = { addr: '127.0.0.1', insecure: true } as const;
const MIB = 1024 * 1024;

describe('WebhookServer over HTTP', () => {
  it('should pass on the review, the id of the handler, and the headers', async () => {
    const calls: [unknown, AdmissionCall][] = [];
    const { config } = await serve(new WebhookServer({ ...LOCAL, path: '/hooks/' }), async (review, call) => {
      calls.push([review, call]);
      return allowance();
    });
    expect(config.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/hooks$/);
    for (const path of ['', '/', '/check/spec.field?timeout=10s', '/%C3%9Cber']) {
      const reply = await send(config, { path, headers: { 'X-Custom': 'yes' } });
      expect(reply).toMatchObject({ status: 200, body: { response: { allowed: true } } });
    }
    expect(calls.map(([, { webhook }]) => webhook)).toEqual(['', '', 'check/spec.field', 'Über']);
    expect(calls.map(([, { timeout }]) => timeout)).toEqual([undefined, undefined, 10, undefined]);
    expect(calls[0][0]).toEqual(REVIEW);
    expect(calls[0][1]).toMatchObject({ headers: { 'x-custom': 'yes', 'content-type': 'application/json' } });
    expect(calls[0][1].sslpeer).toBeUndefined();
  });

  it.each<[string, number, string, Parameters<typeof send>[1]]>([
    ['another method', 405, 'Reviews are sent with POST.', { method: 'GET', body: '' }],
    ['another path', 404, 'There is nothing at this path.', { path: '/../other' }],
    ['a path that only begins alike', 404, 'There is nothing at this path.', { path: 's' }],
    ['a badly encoded path', 400, 'The path is not encoded properly.', { path: '/%E0%A4%A' }],
    ['no body', 400, 'The request has no body.', { body: '' }],
    ['no JSON', 400, 'The body is not JSON.', { body: '{"request":' }],
    [
      'another content type',
      415,
      'The content type of reviews is application/json.',
      { headers: { 'content-type': 'text/plain' } },
    ],
    [
      'a form of a web page',
      415,
      'The content type of reviews is application/json.',
      { headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'http://127.0.0.1' } },
    ],
    ['a compressed body', 415, 'Compressed reviews are not accepted.', { headers: { 'content-encoding': 'gzip' } }],
    ['too large a body', 413, 'The review is larger than 8388608 bytes.', { body: Buffer.alloc(9 * MIB, ' ') }],
    [
      'too large a body of unknown length',
      413,
      'The review is larger than 8388608 bytes.',
      { body: Buffer.alloc(9 * MIB, ' '), headers: { 'transfer-encoding': 'chunked' } },
    ],
  ])('should refuse %s', async (_title, status, message, options) => {
    let reviews = 0;
    const { config } = await serve(new WebhookServer({ ...LOCAL, path: 'hooks' }), async () => {
      reviews++;
      return allowance();
    });
    const reply = await send(config, options);
    expect(reply.status).toBe(status);
    expect(reply.headers['content-type']).toBe('application/json');
    expect(reply.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      code: status,
    });
    expect(reply.headers.allow).toBe(status === 405 ? 'POST' : undefined);
    expect(reviews).toBe(0);
    expect((await send(config)).status).toBe(200);
  });

  it('should accept two objects of the largest size, and what curl sends by default', async () => {
    const { config } = await serve(new WebhookServer(LOCAL));
    const large = 'x'.repeat(1.5 * MIB);
    expect(
      (await send(config, { body: JSON.stringify({ request: { object: large, oldObject: large } }) })).status,
    ).toBe(200);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', expect: '100-continue' };
    expect((await send(config, { headers })).status).toBe(200);
  });

  it.each<[string, AdmissionReviewer, number, string]>([
    [
      'what is no review',
      async () => Promise.reject(new AdmissionRequestError('No request.', 400)),
      400,
      'No request.',
    ],
    [
      'what is unknown',
      async () => Promise.reject(new AdmissionRequestError('No such handler.', 404)),
      404,
      'No such handler.',
    ],
    ['what fails', async () => Promise.reject(new Error('secret: hunter2')), 500, 'The review has failed.'],
    [
      'what throws at once',
      () => {
        throw new TypeError('secret: hunter2');
      },
      500,
      'The review has failed.',
    ],
  ])('should answer %s with a status and without details', async (_title, review, status, message) => {
    const { config, context } = await serve(new WebhookServer(LOCAL), review);
    const reply = await send(config);
    expect(reply.status).toBe(status);
    expect(reply.body.message).toBe(message);
    expect(JSON.stringify(reply)).not.toMatch(/hunter2|at .*\.ts/);
    expect(context.logger.messages('error')).toEqual(status === 500 ? ['A request for admission has failed.'] : []);
  });

  it('should give up a review that takes too long', async () => {
    const clock = new VirtualClock();
    const started = deferred<AdmissionCall>();
    const review: AdmissionReviewer = (_review, call) => {
      started.resolve(call);
      return new Promise(() => undefined);
    };
    const { config } = await serve(new WebhookServer({ ...LOCAL, answerTimeout: 5 }), review, { clock });
    const reply = send(config);
    const { signal } = await started.promise;
    await clock.advance(5000);
    expect(await reply).toMatchObject({ status: 504, body: { message: 'There was no decision in time.' } });
    expect(signal?.aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('should abort the call when the client has gone', async () => {
    const started = deferred<AdmissionCall>();
    const { config, context } = await serve(new WebhookServer(LOCAL), (_review, call) => {
      started.resolve(call);
      return new Promise(() => undefined);
    });
    const gone = new AbortController();
    const reply = send(config, { signal: gone.signal });
    const { signal } = await started.promise;
    const aborted = new Promise((resolve) => signal!.addEventListener('abort', resolve));
    gone.abort();
    await expect(reply).rejects.toThrow('aborted');
    await aborted;
    expect(context.logger.messages('error')).toEqual([]);
  });

  it('should survive a client that goes away in the middle of its body', async () => {
    const { config } = await serve(new WebhookServer(LOCAL));
    const { port } = new URL(config.url!);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a":');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.destroy();
    expect((await send(config)).status).toBe(200);
  });

  it('should answer 1,000 reviews at the same time', async () => {
    let open: () => void;
    const gate = new Promise<void>((resolve) => (open = resolve));
    let waiting = 0;
    const { config, stop } = await serve(new WebhookServer(LOCAL), async () => {
      if (++waiting === 1000) open();
      await gate;
      return allowance();
    });
    const replies = await Promise.all(Array.from({ length: 1000 }, () => send(config, { agent: false })));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1000);
    await stop();
  });

  it('should say that the address is in use', async () => {
    const { config } = await serve(new WebhookServer(LOCAL));
    const port = Number(new URL(config.url!).port);
    await expect(serve(new WebhookServer({ ...LOCAL, port }))).rejects.toThrow(
      /Cannot listen for webhooks.*EADDRINUSE/,
    );
  });

  it.each([
    [{ certfile: 'a' }, "WebhookServer: option 'certfile' needs the option 'pkeyfile'"],
    [{ pkeyfile: 'a' }, "WebhookServer: option 'pkeyfile' needs the option 'certfile'"],
    [{ certfile: 'a', pkeyfile: 'b', insecure: true }, "option 'insecure' excludes the option 'certfile'"],
    [{ host: 'a', service: { name: 'b' } }, "option 'host' excludes the option 'service'"],
    [
      { cafile: 'a' },
      "option 'cafile' needs the option 'certfile'; for the authorities of clients there is 'verifyCafile'",
    ],
    [{ verifyMode: 'required' as const }, "option 'verifyMode' needs the option 'verifyCafile' or 'verifyCadata'"],
    [{ verifyCadata: 'a', insecure: true }, "option 'verifyCadata' cannot be used with 'insecure', without TLS"],
    [{ service: { name: 'a' } }, 'The namespace of the service'],
    [{ prot: 9443 } as object, "WebhookServer: option 'prot' does not exist; did you mean port?"],
    [{ port: '9443' } as object, "WebhookServer: option 'port' must be a whole number, not negative"],
    [{ secret: {} } as object, "WebhookServer: option 'secret' must be an object with a name"],
    [{ closeDelay: -1 }, "WebhookServer: option 'closeDelay' must be a number of seconds, not negative"],
  ])('should refuse the options %j', async (options, message) => {
    await expect(serve(new WebhookServer(options))).rejects.toThrow(message);
  });
});
