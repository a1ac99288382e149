// The cost of requests within the process: processor time for each, with everything on that is on by default.
import { EmbeddedKube } from 'embedded-kube';
import { measure, report } from './measuring.js';

const count = Number(process.argv[2] ?? 10_000);
const kube = await EmbeddedKube.start({ port: false, authorization: 'rbac' });
const transport = kube.transport();
const headers = { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'bench/1.0' };

async function send(method: string, path: string, body?: object, contentType = headers['content-type']): Promise<void> {
  const request = {
    method,
    path,
    headers: { ...headers, 'content-type': contentType },
    ...(body && { body: JSON.stringify(body) }),
  };
  const response = await transport.request(request);
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  await response.text();
}

async function each(what: string, work: (index: number) => Promise<void>): Promise<void> {
  const { cpu } = await measure(async () => {
    for (let index = 0; index < count; index += 1) await work(index);
  });
  report(what, (cpu * 1000) / count, 'µs');
}

const CORE = '/api/v1/namespaces/default';
const pod = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: 'bench' } },
  spec: {
    containers: [{ name: 'main', image: 'nginx', ports: [{ containerPort: 80 }], env: [{ name: 'A', value: 'b' }] }],
  },
});
const map = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { app: 'bench' } },
  data: { text: 'x'.repeat(1024) },
});
await each('first pods (the code is still cold)', (index) => send('POST', `${CORE}/pods`, pod(`cold-${index}`)));
await each('create a pod', (index) => send('POST', `${CORE}/pods`, pod(`pod-${index}`)));
await each('get a pod', (index) => send('GET', `${CORE}/pods/pod-${index}`));
await each('merge-patch a pod', (index) =>
  send(
    'PATCH',
    `${CORE}/pods/pod-${index}`,
    { metadata: { labels: { n: `${index}` } } },
    'application/merge-patch+json',
  ),
);
await each('delete a pod', (index) => send('DELETE', `${CORE}/pods/pod-${index}`, { gracePeriodSeconds: 0 }));
await each('create a ConfigMap', (index) => send('POST', `${CORE}/configmaps`, map(`map-${index}`)));
await each('merge-patch a ConfigMap', (index) =>
  send('PATCH', `${CORE}/configmaps/map-${index}`, { data: { n: `${index}` } }, 'application/merge-patch+json'),
);
await each('get a ConfigMap', (index) => send('GET', `${CORE}/configmaps/map-${index}`));
await each('delete a ConfigMap', (index) => send('DELETE', `${CORE}/configmaps/map-${index}`));
await kube.stop();
