import type { ApiUser } from '../../machinery/api.user.js';
import type { AccessRules, AuthorizationAttributes, Authorizer } from '../../machinery/authorizer.js';
import { isMaster } from '../users.js';
import { ruleAllows } from './policy.rule.js';
import type { GrantedRules, RuleResolver } from './rule.resolver.js';

/** An authorizer that allows what the roles allow that are bound to the user or to one of the groups, and nothing else. */
export class RbacAuthorizer implements Authorizer {
  constructor(private readonly resolver: RuleResolver) {}

  authorize(attributes: AuthorizationAttributes): boolean {
    return isMaster(attributes.user) || this.grantFor(attributes) !== undefined;
  }

  explain(attributes: AuthorizationAttributes): string | undefined {
    if (isMaster(attributes.user)) return undefined;
    const grant = this.grantFor(attributes);
    return grant && `RBAC: allowed by ${describeGrant(grant)}`;
  }

  rulesFor(user: ApiUser, namespace: string): AccessRules {
    const rules = this.resolver.grantsOf(user, namespace).flatMap((grant) => grant.rules);
    const resourceRules = rules
      .filter(({ resources }) => resources && resources.length > 0)
      .map(({ verbs, apiGroups, resources, resourceNames }) => {
        return { verbs, apiGroups, resources, ...(resourceNames && { resourceNames }) };
      });
    const nonResourceRules = rules
      .filter(({ nonResourceURLs }) => nonResourceURLs && nonResourceURLs.length > 0)
      .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs }));
    return { resourceRules, nonResourceRules, incomplete: false };
  }

  private grantFor(attributes: AuthorizationAttributes): GrantedRules | undefined {
    const { user, namespace } = attributes;
    const grants = this.resolver.grantsOf(user, namespace);
    return grants.find(({ rules }) => rules.some((rule) => ruleAllows(rule, attributes)));
  }
}

function describeGrant({ binding, roleRef, subject }: GrantedRules): string {
  const { name, namespace } = binding.metadata;
  const of = `of ${roleRef.kind} ${JSON.stringify(roleRef.name)}`;
  const where = namespace ? `${name}/${namespace}` : name;
  const home = subject.namespace ?? namespace;
  const whom = subject.kind === 'ServiceAccount' ? `${subject.name}/${home}` : subject.name;
  return `${binding.kind} ${JSON.stringify(where)} ${of} to ${subject.kind} ${JSON.stringify(whom)}`;
}
