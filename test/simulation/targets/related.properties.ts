import type { KubeObject } from 'nestjs-kopf';
import type { SimulatedState, SimulationStatement } from 'nestjs-kopf-simulation';
import { namesOf, OWNED_BY, RELATED_KINDS, type RelatedSpec, type Relations } from './related.builder.js';

interface RelatedStatus {
  readonly parts?: string;
  readonly links?: string;
  readonly missing?: string;
}

type Parent = KubeObject<RelatedSpec, RelatedStatus> & { readonly spec: RelatedSpec };

/** Makes the checks that hold for an operator with relations at rest. */
export function relatedProperties(
  { children, referents, marksChildren }: Relations,
  repeatsLateChanges: boolean,
): readonly SimulationStatement[] {
  const parentsOf = ({ list }: SimulatedState): readonly Parent[] => list<Parent>('KopfExample');

  /** The names of the objects that a parent owns. */
  const childrenOf = ({ list }: SimulatedState, { metadata }: Parent): string =>
    namesIn(list(RELATED_KINDS[children]).filter((child) => ownerOf(child)?.uid === metadata.uid));

  function hasItsChildren(state: SimulatedState) {
    return forEach(parentsOf(state), (parent) => {
      const { metadata, spec } = parent;
      const wanted = Array.from({ length: spec.parts ?? 0 }, (_, index) => `${metadata.name}-part-${index + 1}`);
      return compare(parent, childrenOf(state, parent), wanted.sort().join());
    });
  }

  function notesItsChildren(state: SimulatedState) {
    return forEach(parentsOf(state), (parent) => compare(parent, parent.status?.parts, childrenOf(state, parent)));
  }

  function notesItsReferents(state: SimulatedState) {
    const { list } = state;
    return forEach(parentsOf(state), (parent) => {
      const { metadata, spec, status } = parent;
      const names = new Set((spec.links ?? []).map(({ name }) => name));
      const found = list(RELATED_KINDS[referents], metadata.namespace).filter((each) => names.has(each.metadata.name!));
      for (const each of found) names.delete(each.metadata.name!);
      const missing = namesOf([...names].map((name) => ({ name })));
      return compare(parent, `${status?.links}; ${status?.missing}`, `${namesIn(found)}; ${missing}`);
    });
  }

  function marksItsChildren({ list }: SimulatedState) {
    return forEach(list(RELATED_KINDS[children]), (child) => {
      const owner = ownerOf(child);
      return owner === undefined || compare(child, child.metadata.labels?.[OWNED_BY], owner.name);
    });
  }

  return [
    repeatsLateChanges && hasItsChildren,
    notesItsChildren,
    notesItsReferents,
    marksChildren && marksItsChildren,
  ].filter((property) => property !== false);
}

function ownerOf({ metadata }: KubeObject) {
  return metadata.ownerReferences?.find(({ kind }) => kind === 'KopfExample');
}

function namesIn(objects: readonly KubeObject[]): string {
  return namesOf(objects.map(({ metadata }) => ({ name: metadata.name! })));
}

function forEach<T>(objects: readonly T[], check: (object: T) => true | string): true | string {
  return objects.map(check).find((outcome) => outcome !== true) ?? true;
}

function compare({ metadata }: KubeObject, found: string | undefined, expected: string): true | string {
  return found === expected || `${metadata.name}: ${found} instead of ${expected}`;
}
