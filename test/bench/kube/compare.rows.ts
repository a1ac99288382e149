import type { Side } from './compare.sides.js';

const NAMESPACE = 'bench';
const CORE = `/api/v1/namespaces/${NAMESPACE}`;
const WIDGETS = `/apis/bench.example/v1/namespaces/${NAMESPACE}/widgets`;
const WATCHES = 20;
/** So many pods are in a list. */
const LISTED = 500;
const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

/** A row of the table: a kind of request. */
export interface Row {
  readonly name: string;
  /** Into so many parts the processor time is divided. */
  readonly parts: number;
  readonly run: (side: Side) => Promise<void>;
}

/** Creates what the rows need: a user with a role, a definition with rules, and objects to list. */
export async function prepare(side: Side): Promise<void> {
  await side.send('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  await side.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', DEFINITION);
  const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
  const rules = [
    { apiGroups: [''], resources: ['pods', 'configmaps'], verbs },
    { apiGroups: ['bench.example'], resources: ['widgets'], verbs },
  ];
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'bench' };
  const subjects = [{ kind: 'ServiceAccount', name: 'bench', namespace: NAMESPACE }];
  await side.send('POST', `${rbac}/clusterroles`, { metadata: { name: 'bench' }, rules });
  await side.send('POST', `${rbac}/clusterrolebindings`, { metadata: { name: 'bench' }, roleRef, subjects });
  await side.send('POST', `${CORE}/serviceaccounts`, { metadata: { name: 'bench' } });
  const token = JSON.parse(await side.send('POST', `${CORE}/serviceaccounts/bench/token`, { spec: {} }));
  // Pods need the default account, and a definition is served a moment after it was created.
  for (const path of [`${CORE}/serviceaccounts/default`, WIDGETS]) await untilServed(side, path);
  side.token = (token as { status: { token: string } }).status.token;
  await side.sendAll(LISTED, (index) => side.send('POST', `${CORE}/pods`, pod(`listed-${index}`, 'listed')));
}

async function untilServed(side: Side, path: string): Promise<void> {
  for (;;) {
    try {
      await side.send('GET', path);
      return;
    } catch {
      await side.settle();
    }
  }
}

/** @param round tells apart the objects of one round */
export function createRows(count: number, round: number): Row[] {
  const each = (name: string, request: (side: Side, id: string) => Promise<unknown>, total = count): Row => ({
    name,
    parts: total,
    run: (side) => side.sendAll(total, (index) => request(side, `r${round}-${index}`)),
  });
  const fanOut = Math.ceil(count / 4);
  return [
    each('create a ConfigMap of 1 KB', (side, id) => side.send('POST', `${CORE}/configmaps`, map(id))),
    each('get a ConfigMap', (side, id) => side.send('GET', `${CORE}/configmaps/${id}`)),
    each('update a ConfigMap', (side, id) => side.send('PUT', `${CORE}/configmaps/${id}`, map(id, 'y'))),
    each('apply a ConfigMap on the server', (side, id) =>
      side.send('PATCH', `${CORE}/configmaps/${id}?fieldManager=applier`, applied(id), APPLY),
    ),
    {
      name: `watch: an event to one of ${WATCHES} watches`,
      parts: fanOut * WATCHES,
      run: async (side) => {
        const { metadata } = JSON.parse(await side.send('GET', `${CORE}/configmaps?limit=1`));
        const path = `${CORE}/configmaps?watch=true&resourceVersion=${metadata.resourceVersion}`;
        const watches = await Promise.all(Array.from({ length: WATCHES }, () => side.watch(path, fanOut)));
        const label = { metadata: { labels: { watched: 'yes' } } };
        await side.sendAll(fanOut, (index) =>
          side.send('PATCH', `${CORE}/configmaps/r${round}-${index}`, label, MERGE),
        );
        await Promise.all(watches.map(({ done }) => done));
      },
    },
    each('delete a ConfigMap', (side, id) => side.send('DELETE', `${CORE}/configmaps/${id}`)),
    each('create a pod', (side, id) => side.send('POST', `${CORE}/pods`, pod(id, 'bench'))),
    each('get a pod', (side, id) => side.send('GET', `${CORE}/pods/${id}`)),
    each('merge-patch a pod', (side, id) =>
      side.send('PATCH', `${CORE}/pods/${id}`, { metadata: { labels: { id } } }, MERGE),
    ),
    each('delete a pod', (side, id) => side.send('DELETE', `${CORE}/pods/${id}`, { gracePeriodSeconds: 0 })),
    each(`list ${LISTED} pods`, (side) => side.send('GET', `${CORE}/pods?labelSelector=app%3Dlisted`), count / 20),
    each('create a custom resource with rules', (side, id) => side.send('POST', WIDGETS, widget(id))),
    each('merge-patch a custom resource with rules', (side, id) =>
      side.send('PATCH', `${WIDGETS}/${id}`, { spec: { replicas: 4 } }, MERGE),
    ),
    each('delete a custom resource', (side, id) => side.send('DELETE', `${WIDGETS}/${id}`)),
  ];
}

function map(name: string, letter = 'x'): object {
  const metadata = { name, labels: { app: 'bench' } };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: letter.repeat(1024) } };
}

function applied(name: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { applied: 'yes' } }, data: { more: name } };
}

function pod(name: string, app: string): object {
  const container = {
    name: 'main',
    image: 'nginx',
    ports: [{ containerPort: 80 }],
    env: [{ name: 'A', value: 'b' }],
    resources: { requests: { cpu: '10m', memory: '16Mi' } },
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app } }, spec: { containers: [container] } };
}

function widget(name: string): object {
  const spec = { replicas: 3, minReplicas: 1, maxReplicas: 5, names: ['a', 'b', 'c'], image: 'registry.example/a:1' };
  return { apiVersion: 'bench.example/v1', kind: 'Widget', metadata: { name }, spec };
}

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.bench.example' },
  spec: {
    group: 'bench.example',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  replicas: { type: 'integer' },
                  minReplicas: { type: 'integer' },
                  maxReplicas: { type: 'integer' },
                  image: { type: 'string', maxLength: 100, pattern: '^[a-z./:0-9]+$' },
                  policy: { type: 'string', default: 'Always', enum: ['Always', 'Never'] },
                  names: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 20 } },
                },
                'x-kubernetes-validations': [
                  { rule: 'self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas' },
                  { rule: 'self.names.all(name, name.matches("^[a-z]+$"))', message: 'names are letters' },
                  { rule: 'self.replicas >= oldSelf.replicas', message: 'replicas cannot become fewer' },
                ],
              },
            },
          },
        },
      },
    ],
  },
};
