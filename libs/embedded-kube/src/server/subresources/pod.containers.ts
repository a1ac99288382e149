import { badRequest } from '../../errors/status.errors.js';
import type { KubeObject } from '../../resources/kube-object.js';

/**
 * Returns the container that a request is about: the named one, or the only one.
 *
 * @throws StatusError if the pod has none of the name, or several and none is named
 */
export function containerOf({ metadata, spec }: KubeObject, name: string | undefined): string {
  const {
    containers = [],
    initContainers = [],
    ephemeralContainers = [],
  } = (spec ?? {}) as Record<string, readonly { name: string }[]>;
  const names = (list: readonly { name: string }[]): string[] => list.map((each) => each.name);
  const all = [...names(initContainers), ...names(containers), ...names(ephemeralContainers)];
  if (name) {
    if (all.includes(name)) return name;
    throw badRequest(`container ${name} is not valid for pod ${metadata.name}`);
  }
  if (containers.length === 1) return containers[0].name;
  const choice = `choose one of: [${all.join(' ')}]`;
  throw badRequest(`a container name must be specified for pod ${metadata.name}, ${choice}`);
}
