import { type FieldReport, itemsOf, structOf, textOf, type Values } from '../field.report.js';
import { validateInnerPath } from '../text.rules.js';

/** Checks the mounts of a container, which name volumes of its pod. */
export function validateMounts(
  report: FieldReport,
  path: string,
  container: Values,
  volumes: ReadonlyMap<string, Values>,
): void {
  const devices = itemsOf(container['volumeDevices']);
  const paths = new Set<string>();
  for (const [index, mount] of itemsOf(container['volumeMounts']).entries()) {
    const at = `${path}[${index}]`;
    const [name, mountPath] = [textOf(mount['name']), textOf(mount['mountPath'])];
    if (!name) report.required(`${at}.name`);
    if (!volumes.has(name)) report.notFound(`${at}.name`, name);
    if (!mountPath) report.required(`${at}.mountPath`);
    if (paths.has(mountPath)) report.invalid(`${at}.mountPath`, mountPath, 'must be unique');
    paths.add(mountPath);
    if (devices.some((device) => textOf(device['name']) === name)) {
      report.invalid(`${at}.name`, name, 'must not already exist in volumeDevices');
    }
    if (devices.some((device) => textOf(device['devicePath']) === mountPath)) {
      report.invalid(`${at}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices');
    }
    if (mount['subPath']) validateInnerPath(report, `${path}.subPath`, mount['subPath']);
    if (mount['subPathExpr']) {
      if (mount['subPath']) {
        report.invalid(`${at}.subPathExpr`, mount['subPathExpr'], 'subPathExpr and subPath are mutually exclusive');
      }
      validateInnerPath(report, `${path}.subPathExpr`, mount['subPathExpr']);
    }
    validatePropagation(report, path, mount, container);
  }
}

function validatePropagation(report: FieldReport, path: string, mount: Values, container: Values): void {
  const { mountPropagation, recursiveReadOnly } = mount;
  if (mountPropagation !== undefined) {
    report.oneOf(`${path}.mountPropagation`, mountPropagation, ['Bidirectional', 'HostToContainer', 'None']);
    const isPrivileged = structOf(container['securityContext'])?.['privileged'] === true;
    if (mountPropagation === 'Bidirectional' && !isPrivileged) {
      const detail = 'Bidirectional mount propagation is available only to privileged containers';
      report.forbidden(`${path}.mountPropagation`, detail);
    }
  }
  if (recursiveReadOnly === undefined || recursiveReadOnly === 'Disabled') return;
  if (recursiveReadOnly === 'Enabled' || recursiveReadOnly === 'IfPossible') {
    if (!mount['readOnly'])
      report.forbidden(`${path}.recursiveReadOnly`, 'may only be specified when readOnly is true');
    if (mountPropagation !== undefined && mountPropagation !== 'None') {
      const detail = 'may only be specified when mountPropagation is None or not specified';
      report.forbidden(`${path}.recursiveReadOnly`, detail);
    }
  } else report.oneOf(`${path}.recursiveReadOnly`, recursiveReadOnly, ['Disabled', 'Enabled', 'IfPossible']);
}

/** Checks the block devices of a container. */
export function validateDevices(
  report: FieldReport,
  path: string,
  devices: readonly Values[],
  mounts: readonly Values[],
  volumes: ReadonlyMap<string, Values>,
): void {
  const [names, paths] = [new Set<string>(), new Set<string>()];
  for (const [index, device] of devices.entries()) {
    const at = `${path}[${index}]`;
    const [name, devicePath] = [textOf(device['name']), textOf(device['devicePath'])];
    const volume = volumes.get(name);
    if (!name) report.required(`${at}.name`);
    if (names.has(name)) report.invalid(`${at}.name`, name, 'must be unique');
    if (volume && !volume['persistentVolumeClaim'] && !volume['ephemeral']) {
      const detail = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
      report.invalid(`${at}.name`, name, detail);
    }
    if (!volume) report.notFound(`${at}.name`, name);
    if (!devicePath) report.required(`${at}.devicePath`);
    if (paths.has(devicePath)) report.invalid(`${at}.devicePath`, devicePath, 'must be unique');
    if (devicePath.split('/').includes('..')) {
      report.invalid(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')");
    } else paths.add(devicePath);
    if (mounts.some((mount) => textOf(mount['name']) === name)) {
      report.invalid(`${at}.name`, name, 'must not already exist in volumeMounts');
    }
    if (mounts.some((mount) => textOf(mount['mountPath']) === devicePath)) {
      report.invalid(`${at}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts');
    }
    if (name) names.add(name);
  }
}
