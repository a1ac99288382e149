// Memory, lists, selectors, and deletion with very many ConfigMaps of 1 KB in one server.
import { EmbeddedKube } from 'embedded-kube';
import { measure, report, residentMegabytes } from './measuring.js';

const count = Number(process.argv[2] ?? 100_000);
const MAPS = '/api/v1/namespaces/default/configmaps';
const text = 'x'.repeat(1024);

const kube = await EmbeddedKube.start({ port: false });
const transport = kube.transport();
const headers = { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'bench/1.0' };

const FORMS: Readonly<Record<string, string>> = {
  'table of all': 'application/json;as=Table;v=v1;g=meta.k8s.io',
  'metadata of all': 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
};

async function send(method: string, path: string, body?: object, accept = headers.accept): Promise<number> {
  const request = { method, path, headers: { ...headers, accept }, ...(body && { body: JSON.stringify(body) }) };
  const response = await transport.request(request);
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  let size = 0;
  for await (const chunk of response.chunks()) size += chunk.length;
  return size;
}

report('memory with nothing', await residentMegabytes(), 'MB');
const created = await measure(async () => {
  for (let index = 0; index < count; index += 1) {
    const labels = { app: `app-${index % 100}` };
    const metadata = { name: `map-${String(index).padStart(7, '0')}`, labels };
    await send('POST', MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text } });
  }
});
report(`create ${count} ConfigMaps: processor time for each`, (created.cpu * 1000) / count, 'µs');
report('memory right after', process.memoryUsage.rss() / 1e6, 'MB');
report(`memory with ${count} ConfigMaps of 1 KB`, await residentMegabytes(), 'MB');

for (const [what, path] of [
  ['list all', MAPS],
  ['list pages of 500 (first)', `${MAPS}?limit=500`],
  ['list by a label that nothing has', `${MAPS}?labelSelector=none%3Dsuch`],
  ['list by a value that nothing has', `${MAPS}?labelSelector=app%3Dnone`],
  ['list by a label of 1 %', `${MAPS}?labelSelector=app%3Dapp-7`],
  ['table of all', MAPS],
  ['metadata of all', MAPS],
] as const) {
  const { result, cpu, blocked } = await measure(() => send('GET', path, undefined, FORMS[what]));
  report(`${what} (${(result / 1e6).toFixed(1)} MB): processor time`, cpu, 'ms');
  report(`${what}: longest block`, blocked, 'ms');
  if (what === 'list all') report('memory right after', process.memoryUsage.rss() / 1e6, 'MB');
}
report('memory after the lists', await residentMegabytes(), 'MB');
const watching = await measure(async () => {
  const response = await transport.request({ method: 'GET', path: `${MAPS}?watch=true&resourceVersion=0`, headers });
  let size = 0;
  for await (const chunk of response.chunks()) {
    size += chunk.length;
    if (size > count * 1300) break;
  }
});
report('watch from the beginning: processor time', watching.cpu, 'ms');
report('watch from the beginning: longest block', watching.blocked, 'ms');
const deleted = await measure(() => send('DELETE', MAPS));
report('deletecollection: processor time', deleted.cpu, 'ms');
report('deletecollection: longest block', deleted.blocked, 'ms');
report('memory after the deletion', await residentMegabytes(), 'MB');
await kube.stop();
