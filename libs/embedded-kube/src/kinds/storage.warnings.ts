import { mapping } from '../common/json.values.js';
import { OLD_LABELS, warnOfTerm } from './node-label.warnings.js';
import { itemsOf, structOf, textOf, type Values } from './validation/field.report.js';
import { warnOfClaim } from './volume.warnings.js';

const CLASS = 'volume.beta.kubernetes.io/storage-class';
const OLD_ANNOTATIONS: Readonly<Record<string, string>> = {
  [CLASS]: 'deprecated since v1.8; use "storageClassName" attribute instead',
  'volume.beta.kubernetes.io/mount-options': 'deprecated since v1.31; use "mountOptions" attribute instead',
};
const RECYCLE =
  'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';
/** The kinds of volumes that do not exist any more, in the order in which the real server looks at them here. */
const OLD_VOLUMES: readonly (readonly [field: string, message: string, shown?: string])[] = [
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+', 'storageOS'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

/** The warnings about volumes, claims and classes, by `plural.group`. */
export const STORAGE_WARNINGS: Readonly<Record<string, (object: Values) => readonly string[]>> = {
  persistentvolumes: warnOfVolume,
  persistentvolumeclaims: ({ metadata, spec }) => [
    ...warnOfAnnotations(metadata, [CLASS]),
    ...warnOfClaim(mapping(spec), 'spec'),
  ],
  'storageclasses.storage.k8s.io': ({ allowedTopologies }) =>
    itemsOf(allowedTopologies).flatMap((topology, index) =>
      itemsOf(topology['matchLabelExpressions']).flatMap(({ key }, place) => {
        const message = OLD_LABELS[textOf(key)];
        return message ? [`allowedTopologies[${index}].matchLabelExpressions[${place}].key: ${message}`] : [];
      }),
    ),
  'csistoragecapacities.storage.k8s.io': ({ nodeTopology }) => [
    ...warnOfTerm(mapping(nodeTopology), 'nodeTopology'),
    ...Object.keys(mapping(mapping(nodeTopology)['matchLabels'])).flatMap((key) =>
      OLD_LABELS[key] ? [`nodeTopology.matchLabels.${key}: ${OLD_LABELS[key]}`] : [],
    ),
  ],
};

function warnOfVolume(volume: Values): readonly string[] {
  const spec = mapping(volume['spec']);
  const terms = itemsOf(mapping(mapping(spec['nodeAffinity'])['required'])['nodeSelectorTerms']);
  return [
    ...warnOfAnnotations(volume['metadata'], Object.keys(OLD_ANNOTATIONS)),
    ...(spec['persistentVolumeReclaimPolicy'] === 'Recycle' ? [`spec.persistentVolumeReclaimPolicy: ${RECYCLE}`] : []),
    ...terms.flatMap((term, index) => warnOfTerm(term, `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`)),
    ...OLD_VOLUMES.flatMap(([field, message, shown = field]) =>
      structOf(spec[field]) ? [`spec.${shown}: ${message}`] : [],
    ),
  ];
}

function warnOfAnnotations(metadata: unknown, keys: readonly string[]): readonly string[] {
  const annotations = mapping(mapping(metadata)['annotations']);
  return keys.filter((key) => key in annotations).map((key) => `metadata.annotations[${key}]: ${OLD_ANNOTATIONS[key]}`);
}
