import { mapping } from '../common/json.values.js';
import type { AdmissionAttributes } from '../machinery/write.admission.js';
import type { Draft, KubeObject } from '../resources/kube-object.js';
import { compareQuantities } from '../resources/quantity.js';
import type { ObjectStore } from '../storage/object.store.js';
import { denied } from './admission.denial.js';
import type { AdmissionPlugin } from './admission.plugin.js';

const CLASSES = 'storageclasses.storage.k8s.io';
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const RULE =
  'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';

/** The plugin that lets claims grow only if they are bound, and if their storage class allows it. Simulated volumes of no class grow. */
export class ClaimResizePlugin implements AdmissionPlugin {
  readonly name = 'PersistentVolumeClaimResize';

  /** @param simulates whether volumes are simulated, which claims without a class get, too */
  constructor(
    private readonly store: ObjectStore,
    private readonly simulates: boolean,
  ) {}

  validate(attributes: AdmissionAttributes): void {
    const { operation, served, subresource, object, previous } = attributes;
    if (operation !== 'UPDATE' || served.storageKey !== 'persistentvolumeclaims' || subresource) return;
    if (!object || !previous || compareQuantities(sizeOf(object), sizeOf(previous)) <= 0) return;
    if (mapping(previous['status'])['phase'] !== 'Bound') {
      throw denied(attributes, 'Only bound persistent volume claims can be expanded');
    }
    const name = classOf(object);
    if (this.simulates && !name) return;
    const found = name && name === classOf(previous) ? this.store.collection(CLASSES).get('', name) : undefined;
    if (found?.object['allowVolumeExpansion'] !== true) throw denied(attributes, RULE);
  }
}

function sizeOf(claim: Draft | KubeObject): unknown {
  return mapping(mapping(mapping(claim['spec'])['resources'])['requests'])['storage'] ?? '0';
}

/** Returns the class of a claim; the older way to name it takes precedence. */
function classOf(claim: Draft | KubeObject): string {
  const { storageClassName = '' } = mapping(claim['spec']);
  return claim.metadata.annotations?.[CLASS_ANNOTATION] ?? String(storageClassName);
}
