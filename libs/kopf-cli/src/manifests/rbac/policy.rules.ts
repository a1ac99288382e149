import { groupBy } from 'kube-common';
import type { Permission, RequiredPermission } from 'nestjs-kopf/inspection';
import { compareTexts, mergeReasons, sortVerbs } from 'nestjs-kopf/tooling';

/** A rule of a Role or a ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** A rule, and why it is needed. */
export interface ExplainedRule {
  readonly rule: PolicyRule;
  /** For a comment: `To watch and handle objects: ClaimOperator.create.` */
  readonly reason: string;
}

/** Permissions for the same resource and the same names, which differ in their verbs only. */
interface RuleDraft {
  readonly group: string;
  readonly resource: string;
  readonly names: readonly string[];
  readonly verbs: readonly string[];
  readonly permissions: readonly RequiredPermission[];
}

/**
 * Makes the rules of one role: as few as possible without permitting more, in the order of groups, resources, and names, so that the same
 * permissions always give the same text.
 */
export function createRules(permissions: readonly RequiredPermission[]): readonly ExplainedRule[] {
  const drafts = mergeNames(mergeVerbs(permissions)).sort(compareDrafts);
  const merged = groupBy(drafts, ({ group, names, verbs, permissions: from }) =>
    JSON.stringify([group, names, verbs, describeReasons(from)]),
  );
  return [...merged.values()].map((group) => {
    const [{ names, verbs }] = group;
    const rule: PolicyRule = {
      apiGroups: [group[0].group],
      resources: group.map(({ resource }) => resource),
      ...(names.length > 0 && { resourceNames: names }),
      verbs,
    };
    return { rule, reason: describeReasons(group.flatMap((draft) => draft.permissions)) };
  });
}

/** Returns the permissions of a rule. */
export function permissionsOf(rule: PolicyRule, namespace?: string): readonly Permission[] {
  const names: readonly (string | undefined)[] = rule.resourceNames?.length ? rule.resourceNames : [undefined];
  return rule.apiGroups.flatMap((group) =>
    rule.resources.flatMap((resource) =>
      names.flatMap((name) =>
        rule.verbs.map((verb) => ({
          group,
          resource,
          verb,
          ...(name !== undefined && { name }),
          ...(namespace !== undefined && { namespace }),
        })),
      ),
    ),
  );
}

/** Returns the purposes of permissions, and the handlers that need them: `To watch objects: A.b, A.c; as @Needs declares: B.` */
export function describeReasons(permissions: readonly RequiredPermission[]): string {
  const reasons = mergeReasons(permissions.flatMap((permission) => permission.reasons));
  const parts = reasons.map(({ purpose, sources }) =>
    sources.length > 0 ? `${purpose}: ${sources.join(', ')}` : purpose,
  );
  const text = parts.join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function mergeVerbs(permissions: readonly RequiredPermission[]): readonly RuleDraft[] {
  const grouped = groupBy(permissions, ({ group, resource, name }) => JSON.stringify([group, resource, name]));
  return [...grouped.values()].map((members) => {
    const [{ group, resource, name }] = members;
    const names = name === undefined ? [] : [name];
    return { group, resource, names, verbs: sortVerbs(members.map(({ verb }) => verb)), permissions: members };
  });
}

function mergeNames(drafts: readonly RuleDraft[]): RuleDraft[] {
  const key = ({ group, resource, names, verbs }: RuleDraft): string =>
    JSON.stringify([group, resource, names.length > 0, verbs]);
  return [...groupBy(drafts, key).values()].map((members) => ({
    ...members[0],
    names: members.flatMap(({ names }) => names).sort(compareTexts),
    permissions: members.flatMap(({ permissions }) => permissions),
  }));
}

function compareDrafts(one: RuleDraft, other: RuleDraft): number {
  return (
    compareTexts(one.group, other.group) ||
    compareTexts(one.resource, other.resource) ||
    compareTexts(one.names.join(), other.names.join()) ||
    compareTexts(one.verbs.join(), other.verbs.join())
  );
}
