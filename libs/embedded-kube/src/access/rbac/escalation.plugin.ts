import { jsonEqual, mapping } from '../../common/json.values.js';
import { forbidden, notFound } from '../../errors/status.errors.js';
import { SYSTEM_USER } from '../../machinery/api.user.js';
import type { AdmissionAttributes } from '../../machinery/write.admission.js';
import type { Draft, KubeObject } from '../../resources/kube-object.js';
import { resourceName } from '../../resources/served.resource.js';
import type { Authorizer } from '../../machinery/authorizer.js';
import { isMaster } from '../users.js';
import { describeRules, type PolicyRule, quoted, uncoveredRules } from './policy.rule.js';
import { RBAC_GROUP, type RoleRef, type RuleResolver } from './rule.resolver.js';

const ROLE_KINDS = new Set(['Role', 'ClusterRole']);
const FULL_ACCESS: readonly PolicyRule[] = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
];

/**
 * An admission plugin that keeps users from granting rights that they do not have, by roles or by bindings. It runs after the other
 * plugins.
 */
export class EscalationPlugin {
  readonly name = 'RBACEscalation';

  constructor(
    private readonly resolver: RuleResolver,
    private readonly authorizer: Authorizer,
  ) {}

  /** @throws StatusError 403; 404 if the bound role is not there, whose rights can therefore not be compared */
  admit(attributes: AdmissionAttributes): void {
    const { served, object, previous, user } = attributes;
    if (served.resource.group !== RBAC_GROUP || !object) return;
    if (user === SYSTEM_USER || isMaster(user)) return;
    if (previous && isUpkeep(object, previous)) return;
    if (ROLE_KINDS.has(served.resource.kind)) this.checkRole(attributes, object);
    else this.checkBinding(attributes, object);
  }

  private checkRole(attributes: AdmissionAttributes, role: Draft): void {
    const { served, user, namespace, name, previous } = attributes;
    const { group, plural } = served.resource;
    if (this.authorizer.authorize({ user, verb: 'escalate', group, resource: plural, namespace, name })) return;
    this.assertHeld(attributes, (role['rules'] ?? []) as readonly PolicyRule[]);
    if (![role, previous].some(isAggregated)) return;
    if (uncoveredRules(this.rulesOf(attributes), FULL_ACCESS).length > 0) {
      const message = 'must have cluster-admin privileges to use the aggregationRule';
      throw forbidden(resourceName(served), name, message);
    }
  }

  private checkBinding(attributes: AdmissionAttributes, binding: Draft): void {
    const { served, user, namespace } = attributes;
    const roleRef = mapping(binding['roleRef']) as unknown as RoleRef;
    const { kind, name, apiGroup = RBAC_GROUP } = roleRef;
    if (!ROLE_KINDS.has(kind)) return;
    const resource = kind === 'Role' ? 'roles' : 'clusterroles';
    if (this.authorizer.authorize({ user, verb: 'bind', group: apiGroup, resource, namespace, name })) return;
    const rules = this.resolver.rulesOf(roleRef, namespace);
    if (!rules) throw notFound(kind === 'Role' ? resourceName(served) : { group: RBAC_GROUP, name: resource }, name);
    this.assertHeld(attributes, rules);
  }

  private assertHeld(attributes: AdmissionAttributes, given: readonly PolicyRule[]): void {
    const missing = uncoveredRules(this.rulesOf(attributes), given);
    if (missing.length === 0) return;
    const { served, user, name } = attributes;
    const who = `user ${JSON.stringify(user.name)} (groups=[${quoted(user.groups)}])`;
    const message = `${who} is attempting to grant RBAC permissions not currently held:\n${describeRules(missing)}`;
    throw forbidden(resourceName(served), name, message);
  }

  private rulesOf({ user, namespace }: AdmissionAttributes): readonly PolicyRule[] {
    return this.resolver.grantsOf(user, namespace).flatMap(({ rules }) => rules);
  }
}

function isAggregated(role: Draft | KubeObject | undefined): boolean {
  const selectors = mapping(role?.['aggregationRule'])['clusterRoleSelectors'];
  return Array.isArray(selectors) && selectors.length > 0;
}

/** Whether a change concerns finalizers and owners only, as the garbage collector's do. */
function isUpkeep(object: Draft, previous: KubeObject): boolean {
  const significant = ({ metadata, ...content }: Draft | KubeObject): object => {
    const { labels, annotations } = metadata;
    return { ...content, labels: labels ?? {}, annotations: annotations ?? {} };
  };
  return jsonEqual(significant(object), significant(previous));
}
