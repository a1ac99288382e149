import { DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { eventually } from '../../support/time/eventually.js';
import { NAMESPACE, type WebhookSide } from './webhook.side.js';

const SCHEMA = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        replicas: { type: 'integer' },
        color: { type: 'string', default: 'red' },
        extra: { type: 'object', properties: { depth: { type: 'integer', default: 3 } } },
      },
    },
    status: { type: 'object', properties: { phase: { type: 'string' }, replicas: { type: 'integer' } } },
  },
};
const VERSION = {
  served: true,
  storage: false,
  subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
  schema: { openAPIV3Schema: SCHEMA },
};
const GADGETS = {
  metadata: { name: 'gadgets.conformance.example' },
  spec: {
    group: 'conformance.example',
    scope: 'Namespaced',
    names: { kind: 'Gadget', plural: 'gadgets' },
    versions: [
      { ...VERSION, name: 'v1', storage: true },
      { ...VERSION, name: 'v2' },
    ],
  },
};

/** Creates what the scenarios are about. */
export async function prepare(side: WebhookSide): Promise<void> {
  const namespaced = `/api/v1/namespaces/${NAMESPACE}`;
  for (const [path, body] of [
    ['/api/v1/namespaces', { metadata: { name: NAMESPACE, labels: { team: 'hooks' } } }],
    [`${namespaced}/serviceaccounts`, { metadata: { name: 'default' } }],
    ...['p', 'unbound'].map(
      (name) =>
        [`${namespaced}/pods`, { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } }] as const,
    ),
    [DEFINITIONS, GADGETS],
  ] as const) {
    await eventually(`${path} takes what it gets`, async () => {
      const { status } = await side.send({ method: 'POST', path, body });
      return status === 201 || status === 409;
    });
  }
  const path = `/apis/conformance.example/v2/namespaces/${NAMESPACE}/gadgets`;
  await eventually('gadgets are served', async () => (await side.send({ method: 'GET', path })).status === 200);
}
