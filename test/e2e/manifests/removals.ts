import type { KubeObject } from 'nestjs-kopf';

/** A rule of a role, or a part of it. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** One of the objects that an operator's permissions are made of. */
export type RbacObject = KubeObject & { readonly rules?: readonly Rule[] };

/** The objects without a rule, or without one verb of it. */
export interface Removal {
  readonly removed: Rule;
  readonly objects: readonly RbacObject[];
}

/** Takes each rule out in turn. */
export function withoutEachRule(objects: readonly RbacObject[]): readonly Removal[] {
  return remove(objects, (rule) => [{ removed: rule, rest: [] }]);
}

/** Takes each verb for each resource out in turn. */
export function withoutEachVerb(objects: readonly RbacObject[]): readonly Removal[] {
  return remove(objects, (rule) => {
    const parts = rule.resources.flatMap((resource) =>
      rule.verbs.map((verb) => ({ ...rule, resources: [resource], verbs: [verb] })),
    );
    return parts.map((removed) => ({ removed, rest: parts.filter((part) => part !== removed) }));
  });
}

/** Tells whether a permission belongs to the rule. */
export function isIn(
  { apiGroups, resources, verbs }: Rule,
  { group, resource, verb }: { readonly group: string; readonly resource: string; readonly verb: string },
): boolean {
  return apiGroups.includes(group) && resources.includes(resource) && verbs.includes(verb);
}

function remove(
  objects: readonly RbacObject[],
  split: (rule: Rule) => readonly { readonly removed: Rule; readonly rest: readonly Rule[] }[],
): readonly Removal[] {
  return objects.flatMap((object, index) =>
    (object.rules ?? []).flatMap((rule, place) =>
      split(rule).map(({ removed, rest }) => {
        const rules = object.rules!.toSpliced(place, 1, ...rest);
        return { removed, objects: objects.with(index, { ...object, rules }) };
      }),
    ),
  );
}
