import { mapping } from '../../common/json.values.js';
import type { KubeObject } from '../../resources/kube-object.js';
import type { ApiUser } from '../../machinery/api.user.js';
import type { ObjectStore } from '../../storage/object.store.js';
import { accountUser } from '../users.js';
import type { PolicyRule } from './policy.rule.js';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';
const CLUSTER_ROLES = `clusterroles.${RBAC_GROUP}`;
const ROLES = `roles.${RBAC_GROUP}`;
const CLUSTER_BINDINGS = `clusterrolebindings.${RBAC_GROUP}`;
const BINDINGS = `rolebindings.${RBAC_GROUP}`;

/** The number of users and namespaces whose rules are remembered. */
const REMEMBERED = 1000;

/** The role that a binding gives to its subjects. */
export interface RoleRef {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** The rules of one role that one binding gives to a user. */
export interface GrantedRules {
  readonly binding: KubeObject;
  readonly roleRef: RoleRef;
  readonly subject: Subject;
  readonly rules: readonly PolicyRule[];
}

/** The rules that apply to users, by the stored roles and bindings. */
export class RuleResolver {
  private readonly remembered = new Map<string, readonly GrantedRules[]>();

  constructor(private readonly store: ObjectStore) {
    const forget = (): void => this.remembered.clear();
    for (const key of [CLUSTER_ROLES, ROLES, CLUSTER_BINDINGS, BINDINGS]) store.collection(key).subscribe(forget);
  }

  /** @param namespace empty for what applies to the whole cluster only */
  grantsOf(user: ApiUser, namespace: string): readonly GrantedRules[] {
    const key = `${namespace}\n${user.name}\n${user.groups.join('\n')}`;
    const known = this.remembered.get(key);
    if (known) return known;
    if (this.remembered.size >= REMEMBERED) this.remembered.clear();
    const grants = [
      ...this.grants(user, CLUSTER_BINDINGS, ''),
      ...(namespace ? this.grants(user, BINDINGS, namespace) : []),
    ];
    this.remembered.set(key, grants);
    return grants;
  }

  /** Returns the rules of a role, `undefined` if there is none of that name. */
  rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    const collection = this.store.collection(kind === 'Role' ? ROLES : CLUSTER_ROLES);
    const role = collection.get(kind === 'Role' ? namespace : '', name)?.object;
    return role && ((role['rules'] ?? []) as readonly PolicyRule[]);
  }

  private *grants(user: ApiUser, collection: string, namespace: string): Generator<GrantedRules> {
    for (const { object: binding } of this.store.collection(collection).list(namespace)) {
      const subjects = (binding['subjects'] ?? []) as readonly Subject[];
      const subject = subjects.find((each) => appliesTo(user, each, namespace));
      const roleRef = mapping(binding['roleRef']) as unknown as RoleRef;
      const rules = subject && this.rulesOf(roleRef, namespace);
      if (rules) yield { binding, roleRef, subject, rules };
    }
  }
}

function appliesTo(user: ApiUser, { kind, name, namespace }: Subject, bindingNamespace: string): boolean {
  if (kind === 'User') return user.name === name;
  if (kind === 'Group') return user.groups.includes(name);
  const home = namespace || bindingNamespace;
  return kind === 'ServiceAccount' && home !== '' && user.name === accountUser(home, name);
}
