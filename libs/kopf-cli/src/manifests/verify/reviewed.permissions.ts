import { covers } from 'nestjs-kopf/tooling';
import type { PolicyRule } from '../rbac/policy.rules.js';
import { readRule, type GrantedPermission } from './granted.permissions.js';

/** The groups of self reviews, which every user may make. */
const EVERYBODYS = ['authorization.k8s.io', 'authentication.k8s.io'];

/** No role can be bound there, so that the rules for it are those for the whole cluster. */
const NOWHERE = 'kopf-verify-of-no-namespace';

/** The part of an API client that reviews need, authenticated as an account. */
export interface ReviewApi {
  post<T>(path: string, payload: unknown): Promise<T>;
}

interface RulesReview {
  readonly status?: { readonly resourceRules?: readonly Partial<PolicyRule>[] };
}

/**
 * Reviews what the account of the API client is allowed to do, by `SelfSubjectRulesReview`.
 *
 * @param namespaces those in which more can be allowed than in the whole cluster.
 */
export async function reviewGrants(
  api: ReviewApi,
  namespaces: readonly string[],
): Promise<readonly GrantedPermission[]> {
  const everywhere = (await review(api, NOWHERE)).map((permission) => ({
    ...permission,
    origin: 'rules of the cluster for all namespaces',
  }));
  const granted: GrantedPermission[] = [...everywhere];
  for (const namespace of namespaces) {
    const found = (await review(api, namespace)).map((permission) => ({ ...permission, namespace }));
    const own = found.filter((permission) => !everywhere.some((other) => covers(other, permission)));
    const origin = `rules of the cluster for the namespace ${namespace}`;
    granted.push(...own.map((permission) => ({ ...permission, origin })));
  }
  return granted;
}

async function review(api: ReviewApi, namespace: string) {
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace } };
  const { status } = await api.post<RulesReview>('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', body);
  const permissions = (status?.resourceRules ?? []).flatMap((rule) => readRule(rule));
  return permissions.filter(
    ({ group, resource }) => !(EVERYBODYS.includes(group) && resource.startsWith('selfsubject')),
  );
}
