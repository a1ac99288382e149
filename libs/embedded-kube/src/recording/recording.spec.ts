import { EmbeddedKube } from '../embedded-kube.js';
import { MERGE_PATCH, WatchReader } from '../harness.spec-support.js';
import type { KubeResponse, KubeTransport } from 'kube-common';
import { ClusterRecorder } from './cluster.recorder.js';
import { ClusterRecording } from './cluster.recording.js';
import { ClusterReplay } from './cluster.replay.js';
import { KubeconfigTransport } from './kubeconfig.transport.js';
import { redactText } from './redaction.js';
import { TransportProxy } from './transport.proxy.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';
const quiet = { debug: () => {}, log: () => {}, warn: () => {}, error: () => {} };

let kube: EmbeddedKube;

beforeAll(async () => {
  kube = await EmbeddedKube.start({ logger: quiet });
});
afterAll(() => kube.stop());

const send = (transport: KubeTransport, method: string, path: string, body?: object, headers = {}) =>
  transport.request({
    method,
    path,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
const textOf = async (response: Promise<KubeResponse>): Promise<string> => (await response).text();
const watch = async (transport: KubeTransport, path: string, signal?: AbortSignal): Promise<WatchReader> =>
  new WatchReader(
    await transport.request({ method: 'GET', path, headers: {}, streaming: true, ...(signal && { signal }) }),
  );

/** Lists, watches, creates and changes objects, and returns what it has seen. */
const work = async (transport: KubeTransport, name: string): Promise<string[]> => {
  const seen: string[] = [];
  const list = JSON.parse(await textOf(send(transport, 'GET', `${MAPS}?labelSelector=${name}`))) as {
    metadata: { resourceVersion: string };
  };
  const query = `watch=1&labelSelector=${name}&resourceVersion=${list.metadata.resourceVersion}`;
  const lines = await watch(transport, `${MAPS}?${query}`);
  const metadata = { name, labels: { [name]: '' } };
  seen.push(await textOf(send(transport, 'POST', MAPS, { metadata, data: { a: '1' } })));
  seen.push(JSON.stringify(await lines.next()));
  seen.push(await textOf(send(transport, 'PATCH', `${MAPS}/${name}`, { data: { a: '2' } }, MERGE_PATCH)));
  seen.push(JSON.stringify(await lines.next()));
  seen.push(await textOf(send(transport, 'GET', `${MAPS}/none`)));
  await lines.close();
  return seen;
};

describe('a recording', () => {
  it('should be replayed without the cluster, byte by byte', async () => {
    const recorder = new ClusterRecorder(kube.transport());
    const seen = await work(recorder, 'replayed');
    const replay = new ClusterReplay(ClusterRecording.parse(recorder.recording.text));
    expect(replay.missing).toEqual([`POST ${MAPS}`, `PATCH ${MAPS}/replayed`]);
    expect(await work(replay, 'replayed')).toEqual(seen);
    expect([replay.missing, replay.unexpected]).toEqual([[], []]);
  });

  it('should show effects after their causes only', async () => {
    const recorder = new ClusterRecorder(kube.transport());
    await work(recorder, 'ordered');
    const replay = new ClusterReplay(recorder.recording);
    const lines = await watch(replay, `${MAPS}?watch=1&labelSelector=ordered&resourceVersion=0`);
    const next = lines.next();
    expect(await Promise.race([next, new Promise((resolve) => setImmediate(resolve, 'nothing'))])).toBe('nothing');
    await send(replay, 'POST', MAPS, { metadata: { name: 'ordered' } });
    expect(await next).toMatchObject({ type: 'ADDED' });
    await send(replay, 'PATCH', `${MAPS}/ordered`, { data: {} }, MERGE_PATCH);
    expect(await lines.next()).toMatchObject({ type: 'MODIFIED' });
  });

  it('should answer what it does not know by an error that says so', async () => {
    const replay = new ClusterReplay(new ClusterRecording([]));
    const response = await send(replay, 'DELETE', `${MAPS}/a`);
    expect([response.status, await response.text()]).toEqual([
      500,
      expect.stringContaining(`the recording has no answer to DELETE ${MAPS}/a`),
    ]);
    expect(replay.unexpected).toEqual([`DELETE ${MAPS}/a`]);
  });

  it('should let a watch go on in silence where it ends, until its client leaves', async () => {
    const recorder = new ClusterRecorder(kube.transport());
    await work(recorder, 'silent');
    const replay = new ClusterReplay(recorder.recording);
    const path = `${MAPS}?watch=1&labelSelector=silent`;
    const controller = new AbortController();
    await watch(replay, path);
    const again = (await watch(replay, path, controller.signal)).next();
    controller.abort(new Error('left'));
    await expect(again).rejects.toThrow('left');
    await replay.close();
    await expect(send(replay, 'GET', MAPS)).rejects.toThrow('The replay is closed');
  });

  it('should never have secrets and tokens', async () => {
    const recorder = new ClusterRecorder(kube.transport());
    const secret = Buffer.from('hunter2').toString('base64');
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': `{"data":{"password":"${secret}"}}` };
    const lines = await watch(recorder, `${SECRETS}?watch=1`);
    const created = { metadata: { name: 'login', annotations }, stringData: { password: 'hunter2' } };
    expect(await textOf(send(recorder, 'POST', SECRETS, created))).toContain(secret);
    await send(recorder, 'PATCH', `${SECRETS}/login`, { data: { password: secret, old: null } }, MERGE_PATCH);
    const patch = [{ op: 'replace', path: '/data/password', value: secret }];
    await send(recorder, 'PATCH', `${SECRETS}/login`, patch, { 'content-type': 'application/json-patch+json' });
    await send(recorder, 'GET', SECRETS);
    await send(recorder, 'GET', '/api/v1/secrets', undefined, { accept: 'application/vnd.kubernetes.protobuf' });
    const yaml = `{apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {more: hunter2}}`;
    await recorder.request({
      method: 'PATCH',
      path: `${SECRETS}/login?fieldManager=me&force=true`,
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: yaml,
    });
    await lines.take(2);
    await lines.close();
    const account = '/api/v1/namespaces/default/serviceaccounts/default/token';
    const issued = await textOf(send(recorder, 'POST', account, { spec: {} }));
    const { token } = (JSON.parse(issued) as { status: { token: string } }).status;
    await send(recorder, 'POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
    const { text } = recorder.recording;
    expect([secret, 'hunter2', token, kube.token].filter((each) => text.includes(each))).toEqual([]);
    expect(text).toContain('UkVEQUNURUQ=');
    expect(text).toContain(String.raw`\"old\":null`);
  });

  it.each([
    ['/api/v1/pods', '{"kind":"Pod","data":{"a":"b"}}', '{"kind":"Pod","data":{"a":"b"}}'],
    [
      '/x',
      '{"type":"ADDED","object":{"kind":"Secret","data":{"a":"b"}}}',
      '{"type":"ADDED","object":{"kind":"Secret","data":{"a":"UkVEQUNURUQ="}}}',
    ],
    ['/api/v1/secrets', 'kind: Secret', ''],
    ['/api/v1/namespaces/secrets-of-mine/pods', 'not json', 'not json'],
  ])('should redact at %s %s', (path, text, expected) => {
    expect(redactText(path, text)).toBe(expected);
  });

  it('should be a file of its own kind', () => {
    const recording = new ClusterRecording([{ type: 'end', id: 1 }]);
    expect(ClusterRecording.parse(recording.text).entries).toEqual(recording.entries);
    expect(() => ClusterRecording.parse('{}')).toThrow('The text is no recording of this version');
    expect(() => ClusterRecording.parse(`${recording.text}{"type":"other"}\n`)).toThrow('Line 3 of the recording');
  });
});

describe('a proxy', () => {
  it('should record a cluster over HTTPS, for clients in other processes', async () => {
    const recorder = new ClusterRecorder(new KubeconfigTransport(kube.kubeconfig));
    const proxy = await TransportProxy.start(recorder, { logger: quiet });
    const client = new KubeconfigTransport(proxy.kubeconfig);
    const seen = await work(client, 'proxied');
    const stranger = new KubeconfigTransport(proxy.kubeconfig.replace(/token: .*/, 'token: other'));
    expect((await send(stranger, 'GET', MAPS)).status).toBe(401);
    for (const each of [client, stranger]) await each.close();
    await proxy.stop();
    expect(await work(new ClusterReplay(recorder.recording), 'proxied')).toEqual(seen);
  });

  it('should not guess how to reach a cluster', () => {
    expect(() => new KubeconfigTransport('{}')).toThrow('names no server');
    const tokenless = kube.kubeconfig.replace(/token: .*/, 'exec: {}');
    expect(() => new KubeconfigTransport(tokenless)).toThrow('neither a token nor a client certificate');
  });
});
