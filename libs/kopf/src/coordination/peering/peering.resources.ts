import type { Resource } from '../../resources/resources.js';

/** The group of today, and that of before 2021. */
const GROUPS = ['kopf.dev', 'zalando.org'];

/**
 * Selects the resources of peering objects that the cluster has, the preferred one first. Usually there is at most one;
 * if there are both groups, other operators can be in either.
 */
export function selectPeeringResources(available: readonly Resource[], clusterwide: boolean): readonly Resource[] {
  const plural = clusterwide ? 'clusterkopfpeerings' : 'kopfpeerings';
  return GROUPS.flatMap((group) =>
    available.filter((resource) => {
      const isMeant = resource.group === group && resource.version === 'v1' && resource.plural === plural;
      return isMeant && resource.namespaced === !clusterwide;
    }),
  );
}
