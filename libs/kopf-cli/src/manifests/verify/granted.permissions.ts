import type { KubeObject } from 'nestjs-kopf';
import type { Permission } from 'nestjs-kopf/inspection';
import { permissionsOf, type PolicyRule } from '../rbac/policy.rules.js';
import { accountOf, type OperatorPlace } from '../rbac/rbac.manifests.js';

/** A permission that some rule gives to the operator's account. */
export interface GrantedPermission extends Permission {
  /** The rule: `rule 2 of ClusterRole my-operator`. */
  readonly origin: string;
}

/** The permissions of an account, and what could not be followed. */
export interface AccountGrants {
  readonly granted: readonly GrantedPermission[];
  /** The bindings whose roles are not among the objects. */
  readonly warnings: readonly string[];
}

interface RoleBinding extends KubeObject {
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
}

interface Role extends KubeObject {
  readonly rules?: readonly PolicyRule[];
}

/** Reads what roles and bindings, such as those of manifests, give to the account of the operator. */
export function readGrants(objects: readonly KubeObject[], operator: OperatorPlace): AccountGrants {
  const bindings = objects.filter(({ kind }) => kind === 'RoleBinding' || kind === 'ClusterRoleBinding');
  const own = (bindings as readonly RoleBinding[]).filter((binding) => isFor(binding, operator));
  const warnings: string[] = [];
  const granted = own.flatMap((binding): readonly GrantedPermission[] => {
    const { kind = '', name = '' } = binding.roleRef ?? {};
    const namespace = binding.kind === 'RoleBinding' ? (binding.metadata.namespace ?? 'default') : undefined;
    const role = objects.find((object) => {
      const isSame = object.kind === kind && object.metadata.name === name;
      return isSame && (kind === 'ClusterRole' || (object.metadata.namespace ?? 'default') === namespace);
    }) as Role | undefined;
    if (!role) {
      warnings.push(`The ${binding.kind} ${binding.metadata.name} is for the ${kind} ${name}, which is not there.`);
      return [];
    }
    return (role.rules ?? []).flatMap((rule, index) => {
      const origin = `rule ${index + 1} of ${kind} ${name}`;
      return readRule(rule, namespace).map((permission) => ({ ...permission, origin }));
    });
  });
  return { granted, warnings };
}

/** Returns the permissions of a rule; those for paths that are no resources are left out. */
export function readRule(rule: Partial<PolicyRule>, namespace?: string): readonly Permission[] {
  const { apiGroups = [], resources = [], verbs = [], resourceNames } = rule;
  return permissionsOf({ apiGroups, resources, verbs, resourceNames }, namespace);
}

function isFor({ subjects = [] }: RoleBinding, operator: OperatorPlace): boolean {
  const { namespace } = operator;
  const name = accountOf(operator);
  const groups = ['system:authenticated', 'system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  return subjects.some((subject) => {
    if (subject.kind === 'ServiceAccount') return subject.name === name && subject.namespace === namespace;
    if (subject.kind === 'User') return subject.name === `system:serviceaccount:${namespace}:${name}`;
    return subject.kind === 'Group' && groups.includes(subject.name);
  });
}
