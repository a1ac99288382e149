// Pods of one operating system, which have no settings of another.
import { subdomain } from '../../../resources/name.rules.js';
import { type FieldReport, itemsOf, structOf, textOf, type Values } from '../field.report.js';

const LONGEST_CREDENTIALS = 64 * 1024;
const NET_BIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DOMAIN =
  /^([0-9A-Za-z]|[0-9A-Za-z][0-9A-Za-z-]{0,61}[0-9A-Za-z])(\.([0-9A-Za-z]|[0-9A-Za-z][0-9A-Za-z-]{0,61}[0-9A-Za-z]))*$/;
const NOT_ON_WINDOWS = 'cannot be set for a windows pod';
const NOT_ON_LINUX = 'windows options cannot be set for a linux pod';

/** The settings that pods of Windows do not have; those without a dot are fields of the pod. */
const POD_SETTINGS = [
  'securityContext.appArmorProfile',
  'securityContext.seLinuxOptions',
  'hostUsers',
  'hostPID',
  'hostIPC',
  'securityContext.seccompProfile',
  'securityContext.fsGroup',
  'securityContext.fsGroupChangePolicy',
  'securityContext.sysctls',
  'shareProcessNamespace',
  'securityContext.runAsUser',
  'securityContext.runAsGroup',
  'securityContext.supplementalGroups',
  'securityContext.supplementalGroupsPolicy',
  'securityContext.seLinuxChangePolicy',
];
const CONTAINER_SETTINGS = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];

/** Calls a function with the containers of a pod and their paths, in the order in which the real server visits them. */
export function visitContainers(
  path: string,
  spec: Values,
): readonly { readonly at: string; readonly container: Values }[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((field) =>
    itemsOf(spec[field]).map((container, index) => ({ at: `${path}.${field}[${index}]`, container })),
  );
}

/** Checks the operating system of a pod, and what goes with it. */
export function validateOs(report: FieldReport, path: string, spec: Values): void {
  const os = structOf(spec['os']);
  if (!os) return;
  const name = os['name'];
  if (!report.requiredText(`${path}.os.name`, name)) return;
  if (name === 'windows') rejectLinuxSettings(report, path, spec);
  else if (name === 'linux') rejectWindowsSettings(report, path, spec);
  else report.oneOf(`${path}.os`, name, ['linux', 'windows']);
}

function rejectWindowsSettings(report: FieldReport, path: string, spec: Values): void {
  for (const { at, container } of [{ at: path, container: spec }, ...visitContainers(path, spec)]) {
    if (structOf(container['securityContext'])?.['windowsOptions'] === undefined) continue;
    report.forbidden(`${at}.securityContext.windowsOptions`, NOT_ON_LINUX);
  }
}

function rejectLinuxSettings(report: FieldReport, path: string, spec: Values): void {
  const context = structOf(spec['securityContext']);
  for (const setting of context ? POD_SETTINGS : []) {
    const value = setting.includes('.') ? context![setting.split('.')[1]!] : spec[setting];
    const isSet = setting.startsWith('hostPID') || setting.startsWith('hostIPC') ? value === true : value !== undefined;
    if (isSet) report.forbidden(`${path}.${setting}`, NOT_ON_WINDOWS);
  }
  for (const { at, container } of visitContainers(path, spec)) {
    const own = structOf(container['securityContext']) ?? {};
    for (const field of CONTAINER_SETTINGS) {
      if (own[field] !== undefined) report.forbidden(`${at}.securityContext.${field}`, NOT_ON_WINDOWS);
    }
  }
}

/** Checks that containers that run as processes of their host run only beside others of that kind. */
export function validateHostProcesses(report: FieldReport, path: string, spec: Values): void {
  const ofPod = structOf(structOf(spec['securityContext'])?.['windowsOptions'])?.['hostProcess'];
  const containers = visitContainers(path, spec);
  let count = 0;
  for (const { at, container } of containers) {
    const own = structOf(structOf(container['securityContext'])?.['windowsOptions'])?.['hostProcess'];
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const rule = `pod hostProcess value must be identical if both are specified, was ${String(ofPod)}`;
      report.invalid(`${at}.securityContext.windowsOptions.hostProcess`, own, rule);
    }
    if ((own ?? ofPod) === true) count++;
  }
  if (count === 0) return;
  if (count !== containers.length) {
    const rule = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    report.invalid(path, '', rule);
  }
  if (spec['hostNetwork'] === true) return;
  const rule = 'hostNetwork must be true if pod contains any hostProcess containers';
  report.invalid(`${path}.hostNetwork`, false, rule);
}

/** Checks the settings of Windows in a security context. */
export function validateWindowsOptions(report: FieldReport, path: string, value: unknown): void {
  const options = structOf(value);
  if (!options) return;
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options;
  if (gmsaCredentialSpecName !== undefined) {
    report.named(`${path}.gmsaCredentialSpecName`, gmsaCredentialSpecName, subdomain);
  }
  const at = `${path}.gmsaCredentialSpec`;
  const size = Buffer.byteLength(textOf(gmsaCredentialSpec));
  if (gmsaCredentialSpec === '') report.invalid(at, '', 'gmsaCredentialSpec cannot be an empty string');
  else if (size > LONGEST_CREDENTIALS) {
    report.invalid(at, gmsaCredentialSpec, 'gmsaCredentialSpec size must be under 64 KiB');
  }
  if (runAsUserName === undefined) return;
  for (const problem of describeUserErrors(textOf(runAsUserName))) {
    report.invalid(`${path}.runAsUserName`, runAsUserName, `runAsUserName${problem}`);
  }
}

function describeUserErrors(name: string): string[] {
  if (!name) return [' cannot be an empty string'];
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(name)) return [' cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return [' cannot contain more than one backslash'];
  const user = parts.at(-1)!;
  const domain = parts.length === 2 ? parts[0]! : undefined;
  return [
    ...(domain !== undefined && domain.length >= 256 ? ["'s Domain length must be under 256 characters"] : []),
    ...(domain !== undefined && !NET_BIOS.test(domain) && !DOMAIN.test(domain)
      ? ["'s Domain doesn't match the NetBios nor the DNS format"]
      : []),
    ...(user === '' ? ["'s User cannot be empty"] : []),
    ...(user.length > 104 ? ["'s User length must not be longer than 104 characters"] : []),
    ...(/^[. ]+$/.test(user) ? ["'s User cannot contain only periods or spaces"] : []),
    ...(/["/\\:;|=,+*?<>@[\]]/.test(user)
      ? ['\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]']
      : []),
  ];
}
