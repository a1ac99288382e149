import type { KubeObject } from 'nestjs-kopf';
import type { HandlingOracle } from '../oracles/handling.oracle.js';
import type { ConcurrentEdits } from '../faults/concurrent.edits.js';
import type { Interventions } from '../run/interventions.js';
import type { WorldObjects } from './world.objects.js';

/** The parts of a run that show why an object came too late. */
interface LateObjectSources {
  readonly objects: Pick<WorldObjects, 'isOrphan' | 'ownersOf' | 'findNamed'>;
  readonly edits: Pick<ConcurrentEdits, 'hasOwnerOf'>;
  readonly interventions: Pick<Interventions, 'made'>;
  readonly oracles: { readonly handling: Pick<HandlingOracle, 'isAtWorkFor'> };
}

/**
 * Whether an object is created too late for its owners, which is no fault of the operator's.
 *
 * A request can be repeated when its answer is lost, while another client deletes the owner. Handlers can be running for the owner's state before its
 * deletion; if the user deletes it by a concurrent edit, also for the states before that. The children of an object that is too late, and the
 * contents of a namespace that is, are too late themselves.
 */
export function isLate(object: KubeObject, sources: LateObjectSources): boolean {
  const { objects, edits, interventions, oracles } = sources;
  if (interventions.made.length > 0 && objects.isOrphan(object)) return true;
  const { namespace, ownerReferences = [] } = object.metadata;
  const isAtWork = edits.hasOwnerOf(object) || ownerReferences.some(({ uid }) => oracles.handling.isAtWorkFor(uid));
  if (isAtWork && objects.isOrphan(object, ({ metadata }) => !metadata.deletionTimestamp)) return true;
  const surrounding = namespace === undefined ? undefined : objects.findNamed('namespaces', undefined, namespace);
  if (surrounding && isLate(surrounding, sources)) return true;
  const owners = objects.ownersOf(object);
  return owners.length > 0 && owners.every((owner) => isLate(owner, sources));
}
