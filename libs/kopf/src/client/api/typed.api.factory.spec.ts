import * as clientNode from '@kubernetes/client-node';
import {
  ApiException,
  CoreV1Api,
  createConfiguration,
  KubernetesObjectApi,
  Observable,
  PatchStrategy,
  ServerConfiguration,
  setHeaderOptions,
  type ObservableMiddleware,
  type V1Pod,
} from '@kubernetes/client-node';
import { failure } from '../../../../../test/support/time/eventually.js';
import { scriptedApi, status, systemError, type Script } from '../../../../../test/support/transport/scripted.api.js';
import { ConnectionError } from './api.errors.js';
import { createTypedApi } from './typed.api.factory.js';

const POD: V1Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } };
const JSON_TYPE = { 'content-type': 'application/json' };

async function make(script: Script) {
  const tools = scriptedApi(script);
  return { ...tools, core: await createTypedApi(CoreV1Api, tools.api) };
}

describe('makeTypedApi', () => {
  it('should send what the official client sends, over the connections of the operator', async () => {
    const { core, transport } = await make(() => ({ json: POD, headers: JSON_TYPE }));
    const made = await core.createNamespacedPod({ namespace: 'ns', body: POD, fieldManager: 'a b' });
    expect(made.metadata?.name).toBe('web');
    expect(transport.requests[0]).toMatchObject({
      method: 'POST',
      path: '/api/v1/namespaces/ns/pods?fieldManager=a+b',
      headers: { 'content-type': 'application/json', accept: 'application/json, */*;q=0.8' },
    });
    expect(JSON.parse(transport.requests[0].body!)).toMatchObject(POD);
  });

  it.each([
    ['', 'application/json-patch+json'],
    [PatchStrategy.MergePatch, 'application/merge-patch+json'],
    [PatchStrategy.StrategicMergePatch, 'application/strategic-merge-patch+json'],
    [PatchStrategy.ServerSideApply, 'application/apply-patch+yaml'],
  ])('should send patches as they are to be: %s', async (strategy, expected) => {
    const { core, transport } = await make(() => ({ json: POD, headers: JSON_TYPE }));
    const options = strategy === '' ? undefined : setHeaderOptions('Content-Type', strategy);
    await core.patchNamespacedPod({ name: 'web', namespace: 'ns', body: {} }, options);
    expect(transport.requests[0]).toMatchObject({ method: 'PATCH', headers: { 'content-type': expected } });
  });

  it('should reject when the server redirects, and say where to', async () => {
    const headers = { location: 'https://login.example.com/oauth?state=secret' };
    const { core } = await make(() => ({ status: 302, headers, text: '<a>' }));
    const error = (await failure(core.readNamespacedPod({ name: 'web', namespace: 'ns' }))) as ApiException<string>;
    expect(error).toBeInstanceOf(ApiException);
    expect(error.code).toBe(302);
    expect(error.body).toMatch(/redirects to https:\/\/login\.example\.com\/oauth, /);
  });

  it('should not create a second object when the answer was lost', async () => {
    const { core, clock, transport } = await make(() => systemError('ECONNRESET'));
    const body: V1Pod = { ...POD, metadata: { generateName: 'web-' } };
    expect(await clock.runUntil(failure(core.createNamespacedPod({ namespace: 'ns', body })))).toBeInstanceOf(
      ConnectionError,
    );
    expect(transport.log.length).toBe(1);
  });

  it('should read texts', async () => {
    const { core } = await make(() => ({ text: 'one\ntwo\n', headers: { 'content-type': 'text/plain' } }));
    expect(await core.readNamespacedPodLog({ name: 'web', namespace: 'ns' })).toBe('one\ntwo\n');
  });

  it.each([
    [404, 'NotFound'],
    [403, 'Forbidden'],
    [409, 'Conflict'],
    [422, 'Invalid'],
  ])("should reject with the official client's error, at once: %s", async (code, reason) => {
    const { core, transport } = await make(() => status(code, reason, 'It is so.', { name: 'web' }));
    const error = await failure(core.readNamespacedPod({ name: 'web', namespace: 'ns' }));
    expect(error).toBeInstanceOf(ApiException);
    expect(error.code).toBe(code);
    expect(JSON.parse(error.body as string)).toMatchObject({
      kind: 'Status',
      code,
      reason,
      message: 'It is so.',
      details: { name: 'web' },
    });
    expect(transport.requests).toHaveLength(1);
  });

  it('should retry as the operator does', async () => {
    const answers = [systemError('ECONNRESET'), status(503, 'ServiceUnavailable', 'not now')];
    const { core, transport, clock } = await make((_, index) => answers[index] ?? { json: POD, headers: JSON_TYPE });
    const pod = await clock.runUntil(core.readNamespacedPod({ name: 'web', namespace: 'ns' }));
    expect(pod.metadata?.name).toBe('web');
    expect(transport.requests).toHaveLength(3);
  });

  it('should tell what the server has said in the last of the attempts', async () => {
    const { core, clock } = await make(() => ({
      ...status(429, 'TooManyRequests', 'slowly'),
      headers: { 'retry-after': '7' },
    }));
    const error = await clock.runUntil(failure(core.listNamespace()));
    expect(error).toMatchObject({ code: 429, headers: { 'retry-after': '7' } });
  });

  it('should not show answers that are no status', async () => {
    const { core, clock } = await make(() => ({ status: 500, text: 'the-secret' }));
    const error = await clock.runUntil(failure(core.listNamespace()));
    expect(error.code).toBe(500);
    expect(`${error.message} ${error.body}`).not.toContain('the-secret');
  });

  it('should reject with an error of the operator if there is no answer', async () => {
    const { core, clock } = await make(() => systemError('ECONNREFUSED'));
    const error = await clock.runUntil(failure(core.listNamespace()));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain('connection refused');
  });

  it('should end with the signal of a request', async () => {
    const controller = new AbortController();
    const { core } = await make(() => new Promise(() => {}));
    const setSignal: ObservableMiddleware = {
      pre(request) {
        request.setSignal(controller.signal);
        return new Observable(Promise.resolve(request));
      },
      post: (response) => new Observable(Promise.resolve(response)),
    };
    const list = failure(core.listNamespace({}, { middleware: [setSignal] }));
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await list).toBe(reason);
  });

  it('should refuse bodies that are no texts', async () => {
    const { api } = scriptedApi(() => ({}));
    class Odd {
      constructor(readonly configuration: ReturnType<typeof createConfiguration>) {}
      post(): Promise<unknown> {
        const { baseServer, httpApi } = this.configuration;
        const request = baseServer.makeRequestContext('/api', 'POST');
        request.setBody(new URLSearchParams({ a: 'b' }));
        return httpApi.send(request).toPromise();
      }
    }
    const odd = await createTypedApi(Odd, api);
    expect(odd.configuration.baseServer).toBeInstanceOf(ServerConfiguration);
    await expect(odd.post()).rejects.toThrow(TypeError);
  });

  it('should refuse names and namespaces that are none in all methods of all typed APIs, before a request is made', async () => {
    const { api, transport } = scriptedApi(() => ({ json: POD, headers: JSON_TYPE }));
    const classes = Object.entries(clientNode).filter(
      ([name]) => name.endsWith('Api') && name !== 'KubernetesObjectApi',
    );
    let checked = 0;
    for (const [title, type] of classes) {
      const typed = (await createTypedApi(type as any, api)) as Record<
        string,
        (parameters: unknown) => Promise<unknown>
      >;
      const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(typed)).filter((name) => name !== 'constructor');
      for (const method of methods) {
        for (const [argument, value] of [
          ['name', ''],
          ['name', '..'],
          ['name', '.'],
          ['name', ' '],
          ['name', 'a/b'],
          ['name', undefined],
          ['namespace', ''],
          ['namespace', '..'],
        ] as const) {
          const used = new Set<string | symbol>();
          const given = (key: string | symbol): unknown => (used.add(key), key === argument ? value : 'x');
          const parameters = new Proxy({}, { get: (_, key) => given(key) });
          const before = transport.requests.length;
          const error = await failure(typed[method](parameters)).catch(() => undefined);
          if (!used.has(argument)) continue;
          checked += 1;
          expect(error, `${title}.${method}({ ${argument}: ${String(value)} })`).toBeInstanceOf(Error);
          expect(transport.requests.length, `${title}.${method}({ ${argument}: ${String(value)} })`).toBe(before);
        }
      }
    }
    expect(checked).toBeGreaterThan(1000);
  });

  it('should delete collections by their own method only', async () => {
    const { core, transport } = await make(() => ({ json: POD, headers: JSON_TYPE }));
    const error = await failure(core.deleteNamespacedPod({ name: '', namespace: 'ns' }));
    expect(error.message).toBe('DELETE /api/v1/namespaces/ns/pods/ is not sent: the name in the path is empty.');
    await core.deleteCollectionNamespacedPod({ namespace: 'ns' });
    expect(transport.log).toEqual(['DELETE /api/v1/namespaces/ns/pods']);
  });

  it('should make the API for objects of any kind', async () => {
    const { api, transport } = scriptedApi(({ path }) =>
      path === '/api/v1'
        ? {
            json: {
              kind: 'APIResourceList',
              groupVersion: 'v1',
              resources: [{ name: 'pods', kind: 'Pod', namespaced: true, singularName: 'pod', verbs: ['get'] }],
            },
            headers: JSON_TYPE,
          }
        : { json: POD, headers: JSON_TYPE },
    );
    const objects = await createTypedApi(KubernetesObjectApi, api);
    await objects.read({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'ns' } });
    expect(transport.log).toEqual(['GET /api/v1', 'GET /api/v1/namespaces/ns/pods/web']);
  });
});
