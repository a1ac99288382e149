import type { GeneratedObject } from '../output/yaml.format.js';
import { createRules } from './policy.rules.js';
import { compareTexts, type RequiredPermission } from './permission.js';

const API = 'rbac.authorization.k8s.io';

/** The name of the operator in the cluster, and where it runs. */
export interface OperatorPlace {
  readonly name: string;
  readonly namespace: string;
}

/** Makes the service account, with a ClusterRole for the permissions in the whole cluster, and a Role for those in each namespace. */
export function createRbac(
  permissions: readonly RequiredPermission[],
  { name, namespace: home }: OperatorPlace,
): readonly GeneratedObject[] {
  const account: GeneratedObject = {
    object: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: home } },
  };
  const namespaces = new Set(permissions.map(({ namespace }) => namespace));
  const roles = [...namespaces]
    .sort((one, other) => compareTexts(one ?? '', other ?? ''))
    .flatMap((namespace) => {
      const own = permissions.filter((permission) => permission.namespace === namespace);
      return createRole(own, { name, namespace: home }, namespace);
    });
  return [account, ...roles];
}

function createRole(
  permissions: readonly RequiredPermission[],
  place: OperatorPlace,
  namespace: string | undefined,
): readonly GeneratedObject[] {
  const kind = namespace === undefined ? 'ClusterRole' : 'Role';
  const metadata = { name: place.name, ...(namespace !== undefined && { namespace }) };
  const explained = createRules(permissions);
  const rules = explained.map(({ rule }) => rule);
  const apiVersion = `${API}/v1`;
  return [
    { object: { apiVersion, kind, metadata, rules }, reasons: explained.map(({ reason }) => reason) },
    {
      object: {
        apiVersion,
        kind: `${kind}Binding`,
        metadata,
        roleRef: { apiGroup: API, kind, name: place.name },
        subjects: [{ kind: 'ServiceAccount', name: place.name, namespace: place.namespace }],
      },
    },
  ];
}
