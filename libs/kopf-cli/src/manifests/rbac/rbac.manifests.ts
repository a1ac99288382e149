import type { GeneratedObject } from '../output/yaml.format.js';
import { createRules } from './policy.rules.js';
import type { RequiredPermission } from 'nestjs-kopf/inspection';
import { compareTexts } from 'nestjs-kopf/tooling';

const API = 'rbac.authorization.k8s.io';

/** The name of the operator in the cluster, and where it runs. */
export interface OperatorPlace {
  readonly name: string;
  readonly namespace: string;
  /** The service account that it shares with other operators, in the same namespace. @default an account with the name of the operator */
  readonly account?: string;
}

/** Returns the name of the service account that the operator runs under. */
export function accountOf({ name, account = name }: Pick<OperatorPlace, 'name' | 'account'>): string {
  return account;
}

/**
 * Makes the service account, with a ClusterRole for the permissions in the whole cluster, and a Role for those in each namespace. A shared
 * account is left out: were it among the files of each of its operators, no two charts or bases could be deployed together.
 */
export function createRbac(
  permissions: readonly RequiredPermission[],
  place: OperatorPlace,
): readonly GeneratedObject[] {
  const metadata = { name: place.name, namespace: place.namespace };
  const account: GeneratedObject = { object: { apiVersion: 'v1', kind: 'ServiceAccount', metadata } };
  const namespaces = new Set(permissions.map(({ namespace }) => namespace));
  const roles = [...namespaces]
    .sort((one, other) => compareTexts(one ?? '', other ?? ''))
    .flatMap((namespace) => {
      const own = permissions.filter((permission) => permission.namespace === namespace);
      return createRole(own, place, namespace);
    });
  return [...(place.account === undefined ? [account] : []), ...roles];
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
        subjects: [{ kind: 'ServiceAccount', name: accountOf(place), namespace: place.namespace }],
      },
    },
  ];
}
