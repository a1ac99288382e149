// The kinds of volumes that pods and persistent volumes share.
import { label, subdomain } from '../../../resources/name.rules.js';
import { countOf, type FieldReport, structOf, textOf, type Values } from '../field.report.js';
import { validateAzureDisk, validateFibreChannel, validateQuobyte } from './network-volume.validation.js';
import { validateNoBacksteps } from '../text.rules.js';

/** A function that checks the settings of one kind of volume. */
export type SourceRule = (report: FieldReport, path: string, source: Values) => void;

const HOST_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

/** Requires fields that are neither absent nor empty. */
export function requiring(...fields: string[]): SourceRule {
  return (report, path, source) => {
    for (const field of fields) {
      if (textOf(source[field]) === '' || (Array.isArray(source[field]) && countOf(source[field]) === 0)) {
        report.required(`${path}.${field}`);
      }
    }
  };
}

/** The rules by the names of the fields. */
export const SHARED_SOURCES = {
  hostPath: (report, path, { path: target, type }) => {
    if (!report.requiredText(`${path}.path`, target)) return;
    validateNoBacksteps(report, `${path}.path`, textOf(target));
    if (type !== undefined) report.oneOf(`${path}.type`, type, HOST_TYPES);
  },
  gcePersistentDisk: (report, path, { pdName, partition }) => {
    const at = path.replace('gcePersistentDisk', 'persistentDisk');
    report.requiredText(`${at}.pdName`, pdName);
    validatePartition(report, `${at}.partition`, partition);
  },
  awsElasticBlockStore: (report, path, { volumeID, partition }) => {
    report.requiredText(`${path}.volumeID`, volumeID);
    validatePartition(report, `${path}.partition`, partition);
  },
  nfs: (report, path, source) => {
    requiring('server', 'path')(report, path, source);
    const target = textOf(source['path']);
    if (!target.startsWith('/')) report.invalid(`${path}.path`, target, 'must be an absolute path');
  },
  flocker: (report, path, { datasetName, datasetUUID }) => {
    if (!datasetName && !datasetUUID) report.required(path, 'one of datasetName and datasetUUID is required');
    if (datasetName && datasetUUID)
      report.invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously');
    if (textOf(datasetName).includes('/')) report.invalid(`${path}.datasetName`, datasetName, "must not contain '/'");
  },
  quobyte: validateQuobyte,
  fc: validateFibreChannel,
  vsphereVolume: requiring('volumePath'),
  photonPersistentDisk: requiring('pdID'),
  portworxVolume: requiring('volumeID'),
  azureDisk: validateAzureDisk,
  scaleIO: requiring('gateway', 'system', 'volumeName'),
  rbd: requiring('monitors', 'image'),
} as const satisfies Readonly<Record<string, SourceRule>>;

/** Checks a partition. Partitions count from 1, as the message says; 0, which is accepted, stands for the whole volume. */
function validatePartition(report: FieldReport, path: string, value: unknown): void {
  const partition = Number(value ?? 0);
  if (partition < 0 || partition > 255) report.invalid(path, value, 'must be between 1 and 255, inclusive');
}

/** Checks the name of a secret, and of its namespace where `namespaced`. */
export function validateSecretNames(report: FieldReport, path: string, value: unknown, namespaced: boolean): void {
  const reference = structOf(value);
  if (!reference) return;
  report.requiredText(`${path}.name`, reference['name']);
  if (namespaced) report.requiredText(`${path}.namespace`, reference['namespace']);
}

/** Checks a volume of StorageOS. */
export function validateStorageOs(report: FieldReport, path: string, source: Values, namespaced: boolean): void {
  const { volumeName, volumeNamespace, secretRef } = source;
  report.namedRequired(`${path}.volumeName`, volumeName, label);
  if (volumeNamespace) report.named(`${path}.volumeNamespace`, volumeNamespace, label);
  validateSecretNames(report, `${path}.secretRef`, secretRef, namespaced);
}

/** Checks the name of a driver. */
export function validateDriverName(report: FieldReport, path: string, value: unknown): void {
  const name = textOf(value);
  if (!name) return report.required(path);
  if (Buffer.byteLength(name) > 63) report.tooLong(path, 63);
  for (const problem of subdomain(name.toLowerCase())) report.invalid(path, name, problem);
}
