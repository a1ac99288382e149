import type { AdmissionPlugin } from './admission.plugin.js';
import type { AdmissionAttributes } from '../machinery/write.admission.js';

const FINALIZERS: Readonly<Record<string, string>> = {
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
  persistentvolumes: 'kubernetes.io/pv-protection',
  'volumeattributesclasses.storage.k8s.io': 'kubernetes.io/vac-protection',
};

/** The plugin that adds the finalizers to new volumes, claims, and classes of volume attributes which keep them while they are used. */
export class StorageProtectionPlugin implements AdmissionPlugin {
  readonly name = 'StorageObjectInUseProtection';

  admit({ operation, served, subresource, object }: AdmissionAttributes): void {
    const finalizer = FINALIZERS[served.storageKey];
    if (operation !== 'CREATE' || !finalizer || !object || subresource) return;
    const finalizers = object.metadata.finalizers ?? [];
    if (!finalizers.includes(finalizer)) object.metadata.finalizers = [...finalizers, finalizer];
  }
}
