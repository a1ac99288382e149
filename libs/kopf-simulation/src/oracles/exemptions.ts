import type { KubeObject } from 'nestjs-kopf';
import type { RunRecord, TracedChange } from '../run/run.record.js';
import { selects } from '../faults/patch.rejections.js';
import { nameOfResource, type WorldServer } from '../world/world.server.js';
import type { PatchPart, RejectedPatchFault } from '../simulation.plan.js';
import { comparableName, objectOf } from './final.state.js';

/** The parts whose rejection keeps an object from being handled or released. */
const VITAL: readonly PatchPart[] = ['object', 'finalizers'];

/** The checks that an operator need not pass while parts of its patches are rejected until the end of the run. */
export class Exemptions {
  constructor(
    private readonly endless: readonly RejectedPatchFault[],
    private readonly client: Pick<WorldServer['client'], 'resourceOf'>,
  ) {}

  /** Whether an object may stay in deletion, as its finalizers cannot be removed. */
  fromRelease(object: KubeObject): boolean {
    return this.partsOf(object).some((part) => VITAL.includes(part));
  }

  /** Whether the stored state of an object, and what the operator remembers of it, may be wrong. */
  fromState(object: KubeObject): boolean {
    return this.partsOf(object).length > 0;
  }

  private partsOf({ apiVersion = '', kind = '', metadata }: KubeObject): readonly PatchPart[] {
    if (this.endless.length === 0) return [];
    const served = this.client.resourceOf(apiVersion, kind);
    if (!served) return [];
    const object = { resource: nameOfResource(served), namespace: metadata.namespace, name: metadata.name ?? '' };
    return this.endless.filter((fault) => selects(fault, object)).map(({ part }) => part);
  }
}

/**
 * Selects the places of final states that may differ because parts of patches are never stored: these parts of their objects. If an object can be
 * neither handled nor released, or a handler retries without end, everything but other objects of the same resource may differ, as it may have been
 * created for the object.
 */
export function exemptPlaces({
  unstorable,
  isHeld,
  changes,
}: Pick<RunRecord, 'unstorable' | 'isHeld' | 'changes'>): (place: string) => boolean {
  const masks = unstorable.map((fault) => {
    const objects = changes.filter(({ resource }) => resource === fault.resource);
    const isSelected = ({ before, after }: TracedChange): boolean => {
      const { namespace, name = '' } = (after ?? before)!.metadata;
      return selects(fault, { resource: fault.resource, namespace, name });
    };
    const nameOf = ({ before, after }: TracedChange): string => comparableName((after ?? before)!);
    const selected = new Set(objects.filter(isSelected).map(nameOf));
    const others = new Set(objects.map(nameOf).filter((object) => !selected.has(object)));
    const isVital = VITAL.includes(fault.part) || isHeld;
    // The progress of a handler stays on the object while its result is not stored.
    const parts = fault.part === 'status' ? ['.status', '.metadata.annotations'] : ['.metadata.annotations'];
    return (place: string): boolean => {
      const object = objectOf(place);
      if (isVital) return !others.has(object);
      return selected.has(object) && parts.some((part) => place.startsWith(`${object} ${part}`));
    };
  });
  return (place) => masks.some((isMasked) => isMasked(place));
}
