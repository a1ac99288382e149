import type { KubeObject } from '../resources/kube-object.js';

/** The names of the volume claims that a pod mounts. */
export function claimNames(pod: KubeObject): string[] {
  const { volumes = [] } = (pod.spec ?? {}) as { volumes?: { persistentVolumeClaim?: { claimName?: string } }[] };
  return volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
}
