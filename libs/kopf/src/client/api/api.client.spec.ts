import { inspect } from 'node:util';
import { failure } from '../../../../../test/support/time/eventually.js';
import {
  scriptedApi,
  status,
  systemError,
  type ScriptedAnswer,
} from '../../../../../test/support/transport/scripted.api.js';
import {
  ApiClientError,
  ApiConflictError,
  ApiError,
  ApiForbiddenError,
  ApiGoneError,
  ApiNotFoundError,
  ApiRedirectError,
  ApiServerError,
  ApiTooManyRequestsError,
  ApiUnprocessableEntityError,
  ConnectionError,
  RequestTimeoutError,
} from './api.errors.js';
import { fenceSignal } from '../../common/request.fence.js';
import { LoginError } from '../vault/connection-info.js';
import type { KubeApi } from './api.client.js';

describe('KubeApi', () => {
  it('should send and receive JSON', async () => {
    const { api, transport } = scriptedApi(() => ({ json: { kind: 'Pod' } }));
    expect(await api.post('/api/v1/pods', { metadata: { name: 'ünïcode' } })).toEqual({ kind: 'Pod' });
    expect(transport.requests[0]).toMatchObject({
      method: 'POST',
      path: '/api/v1/pods',
      body: '{"metadata":{"name":"ünïcode"}}',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
    });
    await api.patch('/api/v1/pods/a', 'json', []);
    expect(transport.requests[1].headers['content-type']).toBe('application/json-patch+json');
  });

  it('should return nothing for an empty body', async () => {
    const { api } = scriptedApi(() => ({}));
    expect(await api.delete('/api/v1/pods/a')).toBeUndefined();
  });

  it('should fill the kind into the items of a list', async () => {
    const { api } = scriptedApi(() => ({
      json: { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [{ metadata: { name: 'a' } }] },
    }));
    expect((await api.list('/api/v1/pods')).items).toEqual([
      { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } },
    ]);
  });

  it.each([
    [400, ApiClientError, 'KOPF_API_CLIENT'],
    [403, ApiForbiddenError, 'KOPF_API_FORBIDDEN'],
    [404, ApiNotFoundError, 'KOPF_API_NOT_FOUND'],
    [409, ApiConflictError, 'KOPF_API_CONFLICT'],
    [410, ApiGoneError, 'KOPF_API_GONE'],
    [418, ApiClientError, 'KOPF_API_CLIENT'],
    [422, ApiUnprocessableEntityError, 'KOPF_API_UNPROCESSABLE_ENTITY'],
    [429, ApiTooManyRequestsError, 'KOPF_API_TOO_MANY_REQUESTS'],
    [503, ApiServerError, 'KOPF_API_SERVER'],
    [600, ApiError, 'KOPF_API'],
  ])('should raise an error of its own for the status %i', async (code, type, stable) => {
    const { api } = scriptedApi(() => status(code, 'Why', 'what happened', { kind: 'pods' }));
    const error = await failure(api.get('/api/v1/pods?continue=abc', { retries: false }));
    expect(error.constructor).toBe(type);
    expect(error).toMatchObject({ code: stable, status: code, reason: 'Why', details: { kind: 'pods' } });
    expect(error.message).toBe(`GET /api/v1/pods: ${code} Why: what happened`);
  });

  it('should keep bodies that are not a status out of errors', async () => {
    const answers: ScriptedAnswer[] = [
      { status: 500, json: { kind: 'Secret', data: { password: 'c2VjcmV0' }, message: 'c2VjcmV0' } },
      { status: 500, text: 'panic: c2VjcmV0' },
    ];
    const { api } = scriptedApi((_, index) => answers[index]);
    for (const _ of answers) {
      const error = await failure(api.get('/api/v1/secrets/x', { retries: false }));
      expect(inspect(error, { depth: 10 })).not.toContain('c2VjcmV0');
      expect(error.message).toBe('GET /api/v1/secrets/x: 500 Internal Server Error');
    }
  });

  describe('retries', () => {
    it.each<[string, () => ScriptedAnswer | Error]>([
      ['a broken connection', () => systemError('ECONNRESET')],
      ['a refused connection', () => systemError('ECONNREFUSED')],
      ['a status of 500', () => status(500, 'InternalError', 'etcd')],
      ['a status of 503 without a body', () => ({ status: 503 })],
      ['a status of 403', () => status(403, 'Forbidden', 'not yet')],
      ['a status of 429', () => status(429, 'TooManyRequests', 'slow down')],
      ['an answer that is cut', () => ({ text: '{"kind": "Po' })],
    ])('should be made after %s', async (_, answer) => {
      const { api, clock, transport, logger } = scriptedApi((_request, index) =>
        index < 8 ? answer() : { json: 'done' },
      );
      expect(await clock.runUntil(api.get('/version'))).toBe('done');
      expect(transport.requests.length).toBe(9);
      expect(clock.monotonic()).toBe(54_000);
      expect(logger.messages('warn').length).toBe(1);
      expect(logger.messages('log')).toEqual(['Succeeded at attempt 9: GET /version']);
    });

    it('should end with the last error', async () => {
      const { api, clock } = scriptedApi(() => systemError('ECONNREFUSED'), { errorBackoffs: [1, 2] });
      const error = await clock.runUntil(failure(api.get('/version')));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error.message).toBe(
        'GET /version: no answer from https://127.0.0.1:6443: connection refused (ECONNREFUSED)',
      );
      expect(clock.monotonic()).toBe(3000);
    });

    it.each([400, 404, 409, 410, 422])('should not be made after a status of %i', async (code) => {
      const { api, transport } = scriptedApi(() => ({ status: code }));
      await failure(api.get('/version'));
      expect(transport.requests.length).toBe(1);
    });

    it('should not be made if the caller does not want them', async () => {
      const { api, transport } = scriptedApi(() => status(403, 'Forbidden', 'no'));
      expect(await failure(api.get('/version', { retries: false }))).toBeInstanceOf(ApiForbiddenError);
      expect(transport.requests.length).toBe(1);
    });

    it.each<[string, ScriptedAnswer, boolean, number]>([
      ['a longer Retry-After', { status: 429, headers: { 'retry-after': '7' } }, false, 7000],
      ['the own delay over a shorter Retry-After', { status: 429, headers: { 'retry-after': '1' } }, false, 3000],
      ['a shorter Retry-After if enforced', { status: 429, headers: { 'retry-after': '1' } }, true, 1000],
      ['the seconds in the details', status(429, 'TooManyRequests', '', { retryAfterSeconds: 9 }), false, 9000],
      ['a date', { status: 429, headers: { 'retry-after': 'Fri, 01 Jan 2021 00:00:09 GMT' } }, false, 10_000],
      ['the own delay over nonsense', { status: 429, headers: { 'retry-after': 'soon' } }, false, 3000],
    ])('should wait for %s', async (_, answer, enforceRetryAfter, expected) => {
      const settings = { errorBackoffs: [3], enforceRetryAfter };
      const { api, clock } = scriptedApi((_request, index) => (index ? { json: 1 } : answer), settings);
      await clock.runUntil(api.get('/version'));
      expect(clock.monotonic()).toBe(expected);
    });

    it('should end when the signal is aborted in a pause', async () => {
      const { api, clock, transport } = scriptedApi(() => ({ status: 500 }));
      const controller = new AbortController();
      const result = failure(api.get('/version', { signal: controller.signal }));
      await clock.advance(500);
      controller.abort(new Error('stopped'));
      expect((await result).message).toBe('stopped');
      expect(transport.requests.length).toBe(1);
      expect(clock.pending).toBe(0);
    });

    it('should be awaited by many requests at once, without a warning of Node.js', async () => {
      const { api, vault, clock } = scriptedApi(() => ({ status: 500 }));
      const warnings: Error[] = [];
      const onWarning = (warning: Error): unknown => warnings.push(warning);
      process.on('warning', onWarning);
      try {
        const results = Array.from({ length: 20 }, () => failure(api.get('/version')));
        await clock.advance(500);
        await vault.close();
        await Promise.all(results);
        // Node.js emits warnings in the next tick.
        await new Promise((resolve) => setImmediate(resolve));
        expect(warnings).toEqual([]);
      } finally {
        process.off('warning', onWarning);
      }
    });

    it('should end when the operator has stopped in a pause', async () => {
      const { api, vault, clock, transport } = scriptedApi(() => ({ status: 500 }));
      const result = failure(api.get('/version'));
      await clock.advance(500);
      await vault.close();
      expect((await result).message).toBe('The credentials are closed.');
      expect(transport.requests.length).toBe(1);
      expect(clock.pending).toBe(0);
    });
  });

  describe('a lost answer', () => {
    const LOST: [string, () => ScriptedAnswer | Error][] = [
      ['a broken connection', () => systemError('ECONNRESET')],
      ['a status of 500', () => status(500, 'InternalError', 'etcdserver: request timed out')],
      ['a status of 504', () => ({ status: 504 })],
      ['an answer that is cut', () => ({ status: 201, text: '{"kind": "Po' })],
    ];
    const UNDONE: [string, () => ScriptedAnswer | Error][] = [
      ['a refused connection', () => systemError('ECONNREFUSED')],
      ['an unknown host', () => systemError('ENOTFOUND')],
      ['a connection that is not made', () => Object.assign(systemError('EHOSTUNREACH'), { syscall: 'connect' })],
      ['a status of 429', () => status(429, 'TooManyRequests', 'slow down')],
      ['a status of 503 with a time', () => ({ status: 503, headers: { 'retry-after': '1' } })],
    ];
    const unnamed = { metadata: { generateName: 'web-' } };
    const named = { metadata: { name: 'web' } };

    it.each(LOST)('should not make a request twice that is not idempotent: %s', async (_, answer) => {
      const { api, clock, transport } = scriptedApi(answer);
      const error = await clock.runUntil(failure(api.post('/api/v1/pods', unnamed)));
      expect([error instanceof ConnectionError || error instanceof ApiServerError, transport.log.length]).toEqual([
        true,
        1,
      ]);
    });

    it.each(UNDONE)('should not be assumed after %s', async (_, answer) => {
      const { api, clock, transport } = scriptedApi((_request, index) => (index < 2 ? answer() : { json: 'done' }));
      expect(await clock.runUntil(api.post('/api/v1/pods', unnamed))).toBe('done');
      expect(transport.log.length).toBe(3);
    });

    it.each(LOST)('should be told along with what came of the second attempt: %s', async (_, answer) => {
      const { api, clock } = scriptedApi((_request, index) =>
        index ? status(409, 'AlreadyExists', 'it exists') : answer(),
      );
      const error = await clock.runUntil(failure(api.post('/api/v1/pods', named)));
      expect(error).toBeInstanceOf(ApiConflictError);
      expect(error).toMatchObject({ afterLostAnswer: true });
    });

    it('should not be told where there was none', async () => {
      const { api, clock } = scriptedApi((_request, index) =>
        index ? status(409, 'AlreadyExists', 'it exists') : systemError('ECONNREFUSED'),
      );
      expect(await clock.runUntil(failure(api.post('/api/v1/pods', named)))).toMatchObject({ afterLostAnswer: false });
    });
  });

  describe('a redirect', () => {
    const login = {
      status: 302,
      headers: { location: 'https://me:secret@login.example.com/oauth?state=secret' },
      text: '<a>',
    };
    const location = 'https://login.example.com/oauth';

    it.each<[string, (api: KubeApi) => Promise<unknown>]>([
      ['GET', (api) => api.get('/x')],
      ['GET', (api) => api.list('/x')],
      ['GET', (api) => api.stream('/x')],
      ['POST', (api) => api.post('/x', {})],
      ['PUT', (api) => api.put('/x', {})],
      ['PATCH', (api) => api.patch('/x', 'merge', {})],
      ['DELETE', (api) => api.delete('/x')],
      ['GET', (api) => api.send('GET', '/x')],
    ])('should be an error of a %s, with the location and without secrets', async (method, call) => {
      const { api, transport } = scriptedApi(() => login);
      const error = await failure(call(api));
      expect(error.constructor).toBe(ApiRedirectError);
      expect(error).toMatchObject({ code: 'KOPF_API_REDIRECT', status: 302, location });
      expect(error.message).toBe(
        `${method} /x: 302 Found: the server redirects to ${location}, which is not followed; ` +
          'is the server of the credentials an API server?',
      );
      expect(inspect(error, { depth: 10 })).not.toContain('secret');
      expect(transport.log.length).toBe(1);
    });

    it.each([
      [301, '/login?next=secret', '/login'],
      [304, undefined, undefined],
      [307, '//me:secret@other/path#secret', '//other/path'],
      [308, 'nonsense', 'nonsense'],
    ])('should be an error with the status %i and the location %s', async (code, given, expected) => {
      const { api } = scriptedApi(() => ({
        status: code,
        headers: { ...(given !== undefined && { location: given }) },
      }));
      const error = await failure(api.get('/x'));
      expect(error).toMatchObject({ status: code, location: expected });
      expect(error.message).toContain(expected === undefined ? 'redirects elsewhere' : `redirects to ${expected}`);
    });
  });

  it('should give up a request that takes too long, and free its timer when it does not', async () => {
    const { api, clock } = scriptedApi((_, index) => (index ? { json: 1 } : new Promise(() => {})), {
      requestTimeout: 10,
    });
    const error = await clock.runUntil(failure(api.get('/slow', { retries: false })));
    expect(error).toBeInstanceOf(RequestTimeoutError);
    expect(error.message).toBe('GET /slow: no answer within 10 seconds');
    expect(clock.monotonic()).toBe(10_000);
    await api.get('/fast');
    expect(clock.pending).toBe(0);
  });

  it('should limit all requests by a single timer', async () => {
    const answers: (() => void)[] = [];
    const { api, clock } = scriptedApi(() => new Promise((resolve) => answers.push(() => resolve({ json: {} }))));
    const requests = Array.from({ length: 20 }, () => api.get('/version'));
    await vi.waitUntil(() => answers.length === requests.length);
    expect(clock.pending).toBe(1);
    for (const answer of answers) answer();
    await Promise.all(requests);
    expect(clock.pending).toBe(0);
  });

  it('should fence a request that was given up, so that it does not overtake its repetition once there is a connection', async () => {
    const { api, clock, transport } = scriptedApi((_, index) => (index ? { json: 1 } : new Promise(() => {})), {
      requestTimeout: 10,
      errorBackoffs: [1],
    });
    const patched = api.patch('/slow', 'merge', {});
    await clock.advance(9999);
    expect(transport.requests.map(({ isFenced }) => isFenced?.())).toEqual([false]);
    await clock.runUntil(patched);
    expect(transport.requests.map(({ isFenced }) => isFenced?.())).toEqual([true, false]);
  });

  describe('with a signal that has a fence', () => {
    const { signal } = new AbortController();
    let fence: { isOpen: boolean; pending: Promise<void> | undefined; readonly reason: Error };

    beforeEach(() => {
      fence = { isOpen: false, pending: undefined, reason: new Error('closed') };
      fenceSignal(signal, fence);
    });

    it('should send a request only when it is known that it may', async () => {
      const { api, transport } = scriptedApi(() => ({ json: 1 }));
      let open!: () => void;
      fence.pending = new Promise((resolve) => (open = resolve));
      const got = api.patch('/x', 'merge', {}, { signal });
      await new Promise(setImmediate);
      expect(transport.requests).toEqual([]);
      fence.isOpen = true;
      open();
      expect(await got).toBe(1);
      expect(transport.requests[0].isFenced?.()).toBe(false);
      fence.isOpen = false;
      expect(transport.requests[0].isFenced?.()).toBe(true);
    });

    it('should reject if it may not', async () => {
      const { api, transport } = scriptedApi(() => ({}));
      expect(await failure(api.get('/x', { signal }))).toBe(fence.reason);
      expect(transport.requests).toEqual([]);
    });
  });

  it('should not send a request whose signal is aborted already', async () => {
    const { api, transport } = scriptedApi(() => ({}));
    await failure(api.get('/version', { signal: AbortSignal.abort() }));
    expect(transport.requests).toEqual([]);
  });

  it('should end with a login error if the only credentials are not accepted', async () => {
    const { api, transport, clock } = scriptedApi(() => status(401, 'Unauthorized', 'Unauthorized'));
    const error = await clock.runUntil(failure(api.get('/version')));
    expect(error).toBeInstanceOf(LoginError);
    expect(error.message).toMatch(
      /^No valid credentials: the API server does not accept any of them: https:\/\/[^ ]+ \(no credentials\)\.$/,
    );
    expect(transport.requests.length).toBe(4);
  });

  describe('when the server refuses the credentials for some time, and accepts them again', () => {
    /** A server that accepts them, refuses them from the first second on, and accepts them again. */
    function makeBurst(seconds: number) {
      const server = scriptedApi(() =>
        server.clock.monotonic() >= 1000 && server.clock.monotonic() < 1000 * (1 + seconds)
          ? status(401, 'Unauthorized', 'Unauthorized')
          : { json: {} },
      );
      return server;
    }

    it.each([0.001, 1, 3, 8])('should answer requests within a second after %d seconds of 401', async (seconds) => {
      const { api, clock } = makeBurst(seconds);
      await api.get('/version');
      await clock.advance(1000);
      const requests = Array.from({ length: 20 }, () => api.get('/version'));
      await clock.runUntil(Promise.all(requests));
      expect(clock.monotonic()).toBeLessThanOrEqual(1000 * (1 + seconds) + 1000);
    });

    it('should tell requests that are not retried soon, and let the next one through', async () => {
      const { api, clock } = makeBurst(5);
      await api.get('/version');
      await clock.advance(1000);
      const error = await clock.runUntil(failure(api.get('/version', { retries: false, timeout: 3 })));
      expect(error).toBeInstanceOf(LoginError);
      expect(clock.monotonic()).toBeLessThanOrEqual(3000);
      await clock.advance(6000 - clock.monotonic());
      await clock.runUntil(api.get('/version', { retries: false, timeout: 3 }));
      expect(clock.monotonic()).toBeLessThanOrEqual(7000);
    });

    it('should end with the signal while it waits for a login', async () => {
      const { api, clock } = makeBurst(60);
      await api.get('/version');
      await clock.advance(1000);
      const controller = new AbortController();
      const call = failure(api.get('/version', { signal: controller.signal }));
      await clock.advance(500);
      const reason = new Error('enough');
      controller.abort(reason);
      expect(await call).toBe(reason);
    });
  });

  it('should not let one path that is always refused disturb the others', async () => {
    const { api, clock, vault } = scriptedApi(({ path }) =>
      path === '/bad' ? status(401, 'Unauthorized', 'Unauthorized') : { json: {} },
    );
    await api.get('/good');
    for (let second = 0; second < 60; second += 1) {
      const bad = failure(api.get('/bad', { retries: false }));
      await clock.runUntil(api.get('/good'));
      await clock.runUntil(bad);
      await clock.runUntil(api.get('/good'));
    }
    expect(vault.failure).toBeUndefined();
  });

  describe('when the server fails', () => {
    const CONVERSION = 'conversion webhook for example.com/v1, Kind=Disk failed: ';

    it.each([
      [`${CONVERSION}spec.size is no number`],
      [`${CONVERSION}response.result.status was '', not 'Success'`],
      ['conversion webhook for example.com/v1, Kind=Disk returned 0 objects, expected 1'],
      ['conversion webhook for example.com/v1, Kind=Disk returned invalid converted object at index 0: invalid kind'],
      [`list of disks: ${CONVERSION}no\nsuch field`],
      ['admission webhook "x.dev" denied the request: no'],
      ['Internal error occurred: failed calling webhook "x.dev": received invalid webhook response: expected v1'],
    ])('should report soon what does not change: %s', async (message) => {
      const { api, clock, transport } = scriptedApi(() => status(500, 'InternalError', message));
      const error = await clock.runUntil(failure(api.put('/api/v1/namespaces/ns/pods/a', {})));
      expect(error.message).toContain(message);
      expect(clock.monotonic()).toBeLessThanOrEqual(2000);
      expect(transport.requests.length).toBe(3);
    });

    it.each([
      ['etcdserver: request is too large'],
      ['rpc error: code = ResourceExhausted desc = trying to send message larger than max (3 vs. 2)'],
    ])('should report at once what is too large: %s', async (message) => {
      const { api, clock, transport } = scriptedApi(() => status(500, 'InternalError', message));
      const error = await clock.runUntil(failure(api.put('/api/v1/namespaces/ns/pods/a', {})));
      expect(error.message).toContain(message);
      expect(transport.requests.length).toBe(1);
    });

    it.each([
      [
        `${CONVERSION}Post "https://hooks.ns.svc:443/convert?timeout=30s": dial tcp 10.0.0.1:443: connect: connection refused`,
      ],
      [`${CONVERSION}Post "https://hooks.ns.svc:443/convert": context deadline exceeded`],
      [`${CONVERSION}Post "https://hooks.ns.svc:443/convert": EOF`],
      [`${CONVERSION}no endpoints available for service "hooks"`],
      ['Internal error occurred: failed calling webhook "x.dev": failed to call webhook: Post "https://x": no'],
      ['etcdserver: request timed out'],
      ['something else'],
    ])('should retry as the settings say what can pass: %s', async (message) => {
      const { api, clock, transport } = scriptedApi(() => status(500, 'InternalError', message));
      await clock.runUntil(failure(api.put('/api/v1/namespaces/ns/pods/a', {})));
      expect(transport.requests.length).toBe(9);
      expect(clock.monotonic()).toBe(54_000);
    });

    it('should obey a server that names a time, and settings without retries', async () => {
      const busy = { ...status(500, 'InternalError', `${CONVERSION}no`), headers: { 'retry-after': '7' } };
      const { api, clock } = scriptedApi(() => busy, { errorBackoffs: [1] });
      await clock.runUntil(failure(api.get('/version')));
      expect(clock.monotonic()).toBe(7000);
      const other = scriptedApi(() => status(500, 'InternalError', `${CONVERSION}no`), { errorBackoffs: [] });
      await failure(other.api.get('/version'));
      expect(other.transport.requests.length).toBe(1);
    });
  });
});
