import type { KubeApi } from '../../../client/api/api.client.js';

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';

/** A namespace without roles, whose rules are those for the whole cluster. */
const NOWHERE = 'kopf-console-of-no-namespace';

/** The most namespaces whose rules are requested. */
const MOST = 20;

interface Rule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

interface ReviewedRules {
  readonly status?: { readonly resourceRules?: readonly Rule[]; readonly incomplete?: boolean };
}

/** The permissions that the API server grants to the operator's account. */
export class GrantedRules {
  private constructor(private readonly rules: ReadonlyMap<string | undefined, readonly Rule[]>) {}

  /** Requests the rules from the API server. Permissions that its answer does not cover stay unknown. */
  static async review(
    api: KubeApi,
    namespaces: ReadonlySet<string | undefined>,
    signal: AbortSignal,
  ): Promise<GrantedRules> {
    const rules = new Map<string | undefined, readonly Rule[]>();
    for (const namespace of [undefined, ...[...namespaces].filter((each) => each !== undefined)].slice(0, MOST)) {
      const body = {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectRulesReview',
        spec: { namespace: namespace ?? NOWHERE },
      };
      try {
        const { status } = await api.post<ReviewedRules>(REVIEWS, body, { signal, retries: false });
        if (!status?.incomplete) rules.set(namespace, status?.resourceRules ?? []);
      } catch {
        signal.throwIfAborted();
      }
    }
    return new GrantedRules(rules);
  }

  check(permission: { verb: string; group: string; resource: string; namespace?: string }): boolean | 'unknown' {
    const rules = this.rules.get(permission.namespace) ?? this.rules.get(undefined);
    return rules ? rules.some((rule) => allows(rule, permission)) : 'unknown';
  }
}

function allows(
  { verbs = [], apiGroups = [], resources = [] }: Rule,
  { verb, group, resource }: { verb: string; group: string; resource: string },
): boolean {
  const includes = (list: readonly string[], value: string): boolean => list.includes('*') || list.includes(value);
  const [, subresource] = resource.split('/');
  const isResource =
    includes(resources, resource) || (subresource !== undefined && resources.includes(`*/${subresource}`));
  return includes(verbs, verb) && includes(apiGroups, group) && isResource;
}
