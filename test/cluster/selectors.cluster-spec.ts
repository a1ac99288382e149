import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Test } from '@nestjs/testing';
import { EmbeddedKube } from 'embedded-kube';
import {
  EVERYTHING,
  KopfModule,
  OnEvent,
  type KopfModuleOptions,
  type KubeTransport,
  type Resource,
} from 'nestjs-kopf';
import { customResource, DEFINITIONS } from '../support/clusters/cluster.user.js';
import { installPythonKopf } from '../support/operators/python.kopf.js';
import { TestProcess } from '../support/programs/child.process.js';
import { eventually } from '../support/time/eventually.js';

const SCRIPT = join(import.meta.dirname, 'fixtures/selectors_operator.py');
const OBJECTS = '/apis/kopf.dev/v1/namespaces/ns-1/kopfexamples';
const PARAMETERS = [
  'labelSelector',
  'fieldSelector',
  'shardSelector',
  'limit',
  'sendInitialEvents',
  'resourceVersionMatch',
];
const SHARD = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";

/** The settings of the operator in Python. */
const WATCHING = {
  labelSelectors: [
    [EVERYTHING, '!ignored'],
    [['kopf.dev', 'v1', 'kopfexamples'], 'tier in (a, b)'],
    ['kex', '!ignored'],
    ['namespaces', 'team'],
  ],
  fieldSelectors: [
    ['kopfexamples', 'metadata.name!=b'],
    [({ kind }: Resource) => kind === 'KopfExample', 'metadata.name!=a'],
    ['customresourcedefinitions', 'metadata.name!=c'],
  ],
  shardSelectors: [
    ['kopfexamples.kopf.dev', SHARD],
    [EVERYTHING, 'another()'],
  ],
} satisfies KopfModuleOptions['watching'];

class Operator {
  @OnEvent('kopf.dev', 'v1', 'kopfexamples')
  seen() {}
}

let python: string;
let folder: string;

beforeAll(async () => {
  python = await installPythonKopf();
  folder = mkdtempSync(join(tmpdir(), 'selectors-'));
}, 300_000);

afterAll(() => folder && rmSync(folder, { recursive: true, force: true }));

/** Passes a request on to the cluster. */
async function forward(cluster: KubeTransport, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url: path = '/', headers } = incoming;
  const ending = new AbortController();
  response.once('close', () => ending.abort());
  const body = method === 'GET' ? undefined : await text(incoming);
  const { authorization: _, ...others } = headers as Record<string, string>;
  const streaming = path.includes('watch=true');
  const answer = await cluster.request({ method, path, headers: others, body, signal: ending.signal, streaming });
  response.writeHead(answer.status, { 'content-type': 'application/json' });
  response.flushHeaders();
  for await (const chunk of answer.chunks()) response.write(chunk);
  response.end();
}

/** Starts a cluster with two objects, and records the queries of lists and watches by their paths. */
async function startCluster() {
  const kube = await EmbeddedKube.start({ port: false, featureGates: { ShardedListAndWatch: false } });
  const cluster = kube.transport();
  const send = async (path: string, body: object): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const { status } = await cluster.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
    expect(status).toBe(201);
  };
  await send(DEFINITIONS, customResource({ shortNames: ['kex'] }));
  await send('/api/v1/namespaces', { metadata: { name: 'ns-1', labels: { team: 'a' } } });
  const queries = new Map<string, Set<string>>();
  const server = createServer((incoming, response) => {
    const { pathname, searchParams } = new URL(incoming.url!, 'http://localhost');
    const entries = PARAMETERS.map((name) => [name, searchParams.get(name)]).filter(([, value]) => value !== null);
    const kind = searchParams.has('watch') ? 'watch' : 'list';
    // Page tokens differ. The first page has the same parameters.
    if (incoming.method === 'GET' && !searchParams.has('continue'))
      queries.set(
        pathname,
        (queries.get(pathname) ?? new Set()).add(JSON.stringify([kind, Object.fromEntries(entries)])),
      );
    forward(cluster, incoming, response).catch((error) => response.destroy(error as Error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await kube.stop();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sent = (path: string): unknown[] =>
    [...(queries.get(path) ?? [])].sort().map((query) => JSON.parse(query) as unknown);
  return { url, sent, isWatched: () => sent(OBJECTS).some((query) => (query as string[])[0] === 'watch') };
}

type Cluster = Awaited<ReturnType<typeof startCluster>>;

async function runKopf({ url, isWatched }: Cluster, env: Record<string, string>): Promise<void> {
  const kubeconfig = join(folder, `config-${new URL(url).port}`);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server: url } }],
    users: [{ name: 'test', user: {} }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  const args = ['-m', 'kopf', 'run', '--standalone', '--namespace=ns-*', '--verbose', SCRIPT];
  const process = new TestProcess(python, args, { KUBECONFIG: kubeconfig, ...env });
  onTestFinished(() => process.kill());
  await eventually('Kopf watches', () => (process.check(), isWatched()));
}

async function runOurs({ url, isWatched }: Cluster, watching: KopfModuleOptions['watching']): Promise<void> {
  const options = { credentials: { server: url }, namespaces: 'ns-*', watching: { ...WATCHING, ...watching } };
  const module = await Test.createTestingModule({
    imports: [KopfModule.forRoot({ ...options, peering: { standalone: true } })],
    providers: [Operator],
  })
    .setLogger(false as never)
    .compile();
  await module.init();
  onTestFinished(() => module.close());
  await eventually('our operator watches', isWatched);
}

describe("selectors of the settings, as Python's Kopf sends them", () => {
  it.each<{ how: string; env: Record<string, string>; watching: KopfModuleOptions['watching'] }>([
    { how: 'in chunks', env: { CHUNK_SIZE: '2' }, watching: { chunkSize: 2 } },
    { how: 'in one response', env: { CHUNK_SIZE: '0' }, watching: { chunkSize: 0 } },
    { how: 'in a stream', env: { INITIAL_STREAMING: 'yes' }, watching: { initialStreaming: true } },
  ])('should be sent alike, with lists $how', async ({ env, watching }) => {
    const [kopf, ours] = await Promise.all([startCluster(), startCluster()]);
    await Promise.all([runKopf(kopf, env), runOurs(ours, watching)]);
    for (const path of [OBJECTS, DEFINITIONS]) {
      await eventually(`${path} is watched by both`, () => ours.sent(path).length >= kopf.sent(path).length);
      expect(ours.sent(path)).toEqual(kopf.sent(path));
    }
    // Kopf lists namespaces once more at the start, also before a stream.
    expect(kopf.sent('/api/v1/namespaces')).toEqual(expect.arrayContaining(ours.sent('/api/v1/namespaces')));
    expect(ours.sent('/api/v1/namespaces').length).toBeGreaterThan(0);
    expect(JSON.stringify(ours.sent('/api/v1/namespaces'))).toContain('"labelSelector":"!ignored,team"');
    expect(JSON.stringify(ours.sent(OBJECTS))).toContain('"labelSelector":"!ignored,tier in (a, b)"');
  });
});
