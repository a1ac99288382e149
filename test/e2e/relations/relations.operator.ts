import type { KubeObject } from 'nestjs-kopf';
import type { OperatorHarness } from '../../support/operators/operator.harness.js';

/** Creates a config map that is owned by an object, by default as its controller. */
export async function createChild(
  harness: OperatorHarness,
  name: string,
  owner: KubeObject,
  reference: object = { controller: true },
): Promise<KubeObject> {
  const { apiVersion, kind, metadata } = owner;
  return harness.send('POST', '/api/v1/namespaces/ns/configmaps', {
    metadata: {
      name,
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid, ...reference }],
    },
  });
}

/** The path of a config map. */
export function configMap(name: string): string {
  return `/api/v1/namespaces/ns/configmaps/${name}`;
}
