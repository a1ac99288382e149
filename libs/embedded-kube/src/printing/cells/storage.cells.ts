import { age, count, since, textOr } from '../cell.format.js';
import { canonicalQuantity } from '../../resources/quantity.js';
import type { CellPrinter, Loose } from '../table.types.js';

const ACCESS_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};
const STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class';
const DEFAULT_CLASSES = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** The cells of volumes, claims and their classes. */
export const STORAGE_CELLS: Readonly<Record<string, CellPrinter>> = {
  persistentvolumeclaims: (claim, now) => {
    const { metadata, spec = {}, status = {} } = claim;
    const isBound = Boolean(spec.volumeName);
    return [
      metadata.name,
      phaseOf(claim),
      textOr(spec.volumeName, ''),
      isBound ? canonicalQuantity(status.capacity?.storage) : '',
      isBound ? accessModes(status.accessModes) : '',
      metadata.annotations?.[STORAGE_CLASS] ?? textOr(spec.storageClassName, ''),
      spec.volumeAttributesClassName ?? '<unset>',
      age(claim, now),
      spec.volumeMode ?? '<unset>',
    ];
  },
  persistentvolumes: (volume, now) => {
    const { metadata, spec = {}, status = {} } = volume;
    return [
      metadata.name,
      canonicalQuantity(spec.capacity?.storage),
      accessModes(spec.accessModes),
      textOr(spec.persistentVolumeReclaimPolicy, ''),
      phaseOf(volume),
      spec.claimRef ? `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}` : '',
      metadata.annotations?.[STORAGE_CLASS] ?? textOr(spec.storageClassName, ''),
      spec.volumeAttributesClassName ?? '<unset>',
      textOr(status.reason, ''),
      age(volume, now),
      spec.volumeMode ?? '<unset>',
    ];
  },
  'storageclasses.storage.k8s.io': (object, now) => [
    object.metadata.name +
      (DEFAULT_CLASSES.some((name) => object.metadata.annotations?.[name] === 'true') ? ' (default)' : ''),
    textOr(object.provisioner, ''),
    object.reclaimPolicy ?? 'Delete',
    object.volumeBindingMode ?? 'Immediate',
    Boolean(object.allowVolumeExpansion),
    age(object, now),
  ],
  'volumeattributesclasses.storage.k8s.io': (object, now) => [
    object.metadata.name,
    textOr(object.driverName, ''),
    age(object, now),
  ],
  'volumeattachments.storage.k8s.io': (object, now) => [
    object.metadata.name,
    textOr(object.spec?.attacher, ''),
    textOr(object.spec?.source?.persistentVolumeName, ''),
    textOr(object.spec?.nodeName, ''),
    Boolean(object.status?.attached),
    age(object, now),
  ],
  'csinodes.storage.k8s.io': (object, now) => [
    object.metadata.name,
    count(object.spec?.drivers?.length),
    age(object, now),
  ],
  'csidrivers.storage.k8s.io': (object, now) => {
    const { spec = {} } = object;
    return [
      object.metadata.name,
      spec.attachRequired ?? true,
      Boolean(spec.podInfoOnMount),
      Boolean(spec.storageCapacity),
      spec.tokenRequests ? spec.tokenRequests.map(({ audience }: Loose) => audience).join(',') : '<unset>',
      Boolean(spec.requiresRepublish),
      spec.volumeLifecycleModes?.join(',') || '<none>',
      age(object, now),
    ];
  },
  'csistoragecapacities.storage.k8s.io': (object) => [
    object.metadata.name,
    textOr(object.storageClassName, ''),
    object.capacity === undefined ? '<unset>' : canonicalQuantity(object.capacity),
  ],
  'deviceclasses.resource.k8s.io': (object, now) => [object.metadata.name, age(object, now)],
  'resourceclaimtemplates.resource.k8s.io': (object, now) => [object.metadata.name, age(object, now)],
  'resourceclaims.resource.k8s.io': (object, now) => [object.metadata.name, claimState(object), age(object, now)],
  'resourceslices.resource.k8s.io': (object, now) => [
    object.metadata.name,
    textOr(object.spec?.nodeName, ''),
    textOr(object.spec?.driver, ''),
    textOr(object.spec?.pool?.name, ''),
    age(object, now),
  ],
  'devicetaintrules.resource.k8s.io': (object, now) => {
    const { key = '', value = '', effect = '', timeAdded } = object.spec?.taint ?? {};
    return [object.metadata.name, key, value, effect, timeAdded ? since(timeAdded, now) : '', age(object, now)];
  },
};

function phaseOf(object: Loose): string {
  return object.metadata.deletionTimestamp ? 'Terminating' : textOr(object.status?.phase, '');
}

function accessModes(modes: readonly string[] | undefined): string {
  const present = Object.keys(ACCESS_MODES).filter((mode) => modes?.includes(mode));
  return present.map((mode) => ACCESS_MODES[mode]).join(',');
}

function claimState({ metadata, status = {} }: Loose): string {
  if (!status.allocation) return metadata.deletionTimestamp ? 'deleted' : 'pending';
  return [metadata.deletionTimestamp && 'deleted', 'allocated', status.reservedFor?.length && 'reserved']
    .filter(Boolean)
    .join(',');
}
