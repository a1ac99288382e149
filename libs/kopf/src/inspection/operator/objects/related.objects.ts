import type { RelatedObject } from '../../../contexts/related.interface.js';
import type { KubeObject } from '../../../objects/kube-object.js';
import type { HandlerRegistry } from '../../../registry/handler.registry.js';
import type { TimerHandler } from '../../../registry/handler.js';
import { groupOf } from '../../../resources/resources.js';
import type { Relation } from '../../../relations/relation.js';
import { qualifiedName, resourceApiVersion, type Resource } from '../../../resources/resources.js';
import type { InspectedRelative } from '../../inspection.types.js';
import { referTo } from '../../objects/object.reference.js';

/**
 * Finds the relatives of an object in the memory of the handlers of children and references: objects that it names, objects that name it,
 * and its children.
 */
export function findRelated(
  registry: HandlerRegistry,
  watched: readonly Resource[],
  resource: Resource,
  body: KubeObject,
): readonly InspectedRelative[] {
  const found: InspectedRelative[] = [];
  // Items of lists have no kind.
  const subject = { ...body, apiVersion: resourceApiVersion(resource), kind: resource.kind };
  for (const { kind, relation } of relationsOf(registry, resource)) {
    const { related, missing } = relation.viewOf(subject);
    const name = kind === 'child' ? 'child' : 'reference';
    found.push(...related.map((object) => ({ relation: name, ...toReference(object, watched, relation) }) as const));
    found.push(
      ...missing.map(({ resource: plural, namespace, name: lost }): InspectedRelative => {
        const known = resourceNamed(plural, watched, relation);
        const place = known?.namespaced === false ? undefined : namespace;
        return {
          relation: 'reference',
          resource: known ? qualifiedName(known) : plural,
          kind: known?.kind ?? plural,
          namespace: place,
          name: lost,
          missing: true,
        };
      }),
    );
  }
  for (const each of watched) {
    for (const { kind, relation } of relationsOf(registry, each)) {
      if (kind !== 'reference') continue;
      const referrers = relation.subjectsOf(body.metadata.uid ?? '').filter(({ kind: own }) => own === each.kind);
      found.push(
        ...referrers.map((referrer) => ({ relation: 'referrer', ...referTo(each, referrer.metadata) }) as const),
      );
    }
  }
  return found;
}

function relationsOf(registry: HandlerRegistry, resource: Resource) {
  const handlers = registry.handlersOf(resource).spawning as readonly Partial<TimerHandler>[];
  return handlers.flatMap(({ kind, relation }) => (relation ? [{ kind, relation }] : []));
}

function toReference(object: RelatedObject, watched: readonly Resource[], relation: Relation) {
  const { apiVersion, kind, name, namespace, uid } = object;
  const group = groupOf(apiVersion);
  const known = [...relation.resources, ...watched].find((each) => each.kind === kind && each.group === group);
  const resource = known ? qualifiedName(known) : qualifiedName({ group, plural: kind.toLowerCase() });
  return { resource, kind, namespace, name, uid };
}

/** Finds the resource that a declaration names, by any of its names. */
function resourceNamed(name: string, watched: readonly Resource[], relation: Relation): Resource | undefined {
  const index = relation.selectors.findIndex((selector) => String(selector) === name);
  return [...relation.resources, ...watched].find((each) => relation.selectors[index]?.check(each));
}
