import { isMapping } from '../../../common/json.values.js';
import { countOf, type FieldReport, textOf, type Values } from '../field.report.js';

const ISCSI_NAMES: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};

/** The prefixes that the addresses of Azure's disks have to begin with, and the forms that messages show. */
const MANAGED_DISK = [
  '/subscriptions/',
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}',
] as const;
const BLOB_DISK = [
  'https://',
  'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd',
] as const;

/** Checks a volume of iSCSI. @param volume the name of the persistent volume, whose messages are shorter */
export function validateIscsi(report: FieldReport, path: string, source: Values, volume?: string): void {
  const { targetPortal, iqn, lun, initiatorName, secretRef } = source;
  const hint = volume === undefined ? ' starting with iqn, eui, or naa' : '';
  report.requiredText(`${path}.targetPortal`, targetPortal);
  if (volume !== undefined && initiatorName !== undefined && `${volume}:${textOf(targetPortal)}`.length > 64) {
    const rule =
      'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
    report.invalid(`${path}.targetportal`, targetPortal ?? '', rule);
  }
  if (report.requiredText(`${path}.iqn`, iqn)) validateIscsiName(report, `${path}.iqn`, textOf(iqn), hint);
  report.inRange(`${path}.lun`, lun ?? 0, 0, 255);
  if ((source['chapAuthDiscovery'] || source['chapAuthSession']) && !secretRef) report.required(`${path}.secretRef`);
  if (volume !== undefined && isMapping(secretRef)) {
    report.requiredText(`${path}.secretRef.name`, secretRef['name']);
  }
  if (initiatorName !== undefined) validateIscsiName(report, `${path}.initiatorname`, textOf(initiatorName), hint);
}

function validateIscsiName(report: FieldReport, path: string, name: string, hint: string): void {
  const pattern = ISCSI_NAMES[name.slice(0, 3)];
  if (!pattern) report.invalid(path, name, `must be valid format${hint}`);
  else if (!pattern.test(name)) report.invalid(path, name, 'must be valid format');
}

/** Checks a volume of Quobyte. */
export function validateQuobyte(report: FieldReport, path: string, { registry, volume, tenant }: Values): void {
  const hosts = textOf(registry);
  if (!hosts) {
    report.required(`${path}.registry`, 'must be a host:port pair or multiple pairs separated by commas');
  } else {
    for (const host of hosts.split(',')) {
      if (!/^[^:]*:[^:]*$/.test(host)) {
        report.invalid(`${path}.registry`, registry, 'must be a host:port pair or multiple pairs separated by commas');
      }
    }
  }
  if (textOf(tenant).length >= 65)
    report.required(`${path}.tenant`, 'must be a UUID and may not exceed a length of 64 characters');
  report.requiredText(`${path}.volume`, volume);
}

/** Checks a volume over Fibre Channel. */
export function validateFibreChannel(report: FieldReport, path: string, { targetWWNs, wwids, lun }: Values): void {
  const [targets, ids] = [countOf(targetWWNs), countOf(wwids)];
  if (targets === 0 && ids === 0) {
    report.required(`${path}.targetWWNs`, 'must specify either targetWWNs or wwids, but not both');
  }
  if (targets > 0 && ids > 0) {
    report.invalid(`${path}.targetWWNs`, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously');
  }
  if (targets === 0) return;
  if (lun === undefined) report.required(`${path}.lun`, 'lun is required if targetWWNs is specified');
  else report.inRange(`${path}.lun`, lun, 0, 255);
}

/** Checks a disk of Azure. */
export function validateAzureDisk(report: FieldReport, path: string, disk: Values): void {
  for (const field of ['diskName', 'diskURI']) report.requiredText(`${path}.${field}`, disk[field]);
  report.oneOfOptional(`${path}.cachingMode`, disk['cachingMode'], ['None', 'ReadOnly', 'ReadWrite']);
  const { kind } = disk;
  report.oneOfOptional(`${path}.kind`, kind, ['Dedicated', 'Managed', 'Shared']);
  if (kind === undefined) return;
  const [prefix, form] = kind === 'Managed' ? MANAGED_DISK : BLOB_DISK;
  if (!textOf(disk['diskURI']).startsWith(prefix)) report.oneOf(`${path}.diskURI`, disk['diskURI'], [form]);
}
