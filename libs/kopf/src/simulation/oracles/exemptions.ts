import type { KubeObject } from '../../objects/kube-object.js';
import type { RunRecord, TracedChange } from '../run/run.record.js';
import { selects } from '../run/patch.rejections.js';
import { nameOfResource, type WorldServer } from '../run/world.server.js';
import type { PatchPart, RejectedPatchFault } from '../simulation.plan.js';
import { objectOf } from './final.state.js';

/** The parts without which an object can be neither handled nor released: what becomes of it is not known. */
const VITAL: readonly PatchPart[] = ['object', 'finalizers'];

/** What an operator is excused from, as parts of its patches are rejected for ever. */
export class Exemptions {
  constructor(
    private readonly endless: readonly RejectedPatchFault[],
    private readonly client: Pick<WorldServer['client'], 'resourceOf'>,
  ) {}

  /** Tells whether an object need not be released: its finalizers cannot be taken off. */
  fromRelease(object: KubeObject): boolean {
    return this.partsOf(object).some((part) => VITAL.includes(part));
  }

  /** Tells whether what is stored on an object, and what is kept of it, need not be right. */
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
 * Selects the places of final states that may differ as parts of patches are never stored: those parts of their objects. Where an object can be
 * neither handled nor released, or a handler goes on for ever, so may all that is not another object of the same resource: it could have been made
 * for it.
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
    const selected = new Set(objects.filter(isSelected).map(({ object }) => object));
    const others = new Set(objects.map(({ object }) => object).filter((object) => !selected.has(object)));
    const isVital = VITAL.includes(fault.part) || isHeld;
    // The progress of a handler whose result is not stored stays on the object.
    const parts = fault.part === 'status' ? ['.status', '.metadata.annotations'] : ['.metadata.annotations'];
    return (place: string): boolean => {
      const object = objectOf(place);
      if (isVital) return !others.has(object);
      return selected.has(object) && parts.some((part) => place.startsWith(`${object} ${part}`));
    };
  });
  return (place) => masks.some((isMasked) => isMasked(place));
}
