import type { ClaimSpec } from './claim.js';

/** Makes the volume claim of an ephemeral volume claim: of the same name, so that pods can be written before it is there. */
export function createVolumeClaim(name: string, { size, storageClassName }: ClaimSpec) {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: size } },
      ...(storageClassName !== undefined && { storageClassName }),
    },
  };
}
