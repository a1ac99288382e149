import { countOf, type FieldReport, textOf, type Values } from './field.report.js';

/** Volumes of a protocol or provider of their own. */
export function validateIscsi(report: FieldReport, path: string, source: Values): void {
  report.requiredText(`${path}.targetPortal`, source['targetPortal']);
  const iqn = textOf(source['iqn']);
  if (report.requiredText(`${path}.iqn`, iqn) && !/^(iqn|eui|naa)/.test(iqn)) {
    report.invalid(`${path}.iqn`, iqn, 'must be valid format starting with iqn, eui, or naa');
  } else if (
    iqn &&
    !/^(iqn\.\d{4}-\d{2}\.([a-z0-9][-a-z0-9]*\.?)+(:[^,;*&$|\s]+)?|eui\.[a-f0-9A-F]{16}|naa\.[a-f0-9A-F]{32})$/i.test(
      iqn,
    )
  ) {
    report.invalid(`${path}.iqn`, iqn, 'must be valid format');
  }
  report.inRange(`${path}.lun`, source['lun'] ?? 0, 0, 255);
  if ((source['chapAuthDiscovery'] || source['chapAuthSession']) && !source['secretRef'])
    report.required(`${path}.secretRef`);
}

/** Volumes of a protocol or provider of their own. */
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

/** Volumes of a protocol or provider of their own. */
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

/** Volumes of a protocol or provider of their own. */
export function validateAzureDisk(report: FieldReport, path: string, disk: Values): void {
  for (const field of ['diskName', 'diskURI']) report.requiredText(`${path}.${field}`, disk[field]);
  report.oneOfOptional(`${path}.cachingMode`, disk['cachingMode'], ['None', 'ReadOnly', 'ReadWrite']);
  report.oneOfOptional(`${path}.kind`, disk['kind'], ['Dedicated', 'Managed', 'Shared']);
}
