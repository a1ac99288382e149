import { type FieldReport, itemsOf, structOf, textOf, textsOf, type Values } from '../field.report.js';
import { validateInnerPath } from '../text.rules.js';
import { validateWindowsOptions } from './windows.validation.js';

const HIGHEST_ID = 2 ** 31 - 1;
const PROFILES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const SYSCTL_RULE =
  'must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';

/** Checks the security context of a container. */
export function validateSecurityContext(report: FieldReport, path: string, value: unknown, hostUsers: boolean): void {
  const context = structOf(value);
  if (!context) return;
  for (const field of ['runAsUser', 'runAsGroup']) validateId(report, `${path}.${field}`, context[field]);
  const { procMount, privileged } = context;
  if (procMount !== undefined) {
    report.oneOf(`${path}.procMount`, procMount, ['Default', 'Unmasked']);
    if (hostUsers && procMount === 'Unmasked') {
      report.invalid(`${path}.procMount`, procMount, '`hostUsers` must be false to use `Unmasked`');
    }
  }
  validateSeccomp(report, `${path}.seccompProfile`, context['seccompProfile']);
  if (context['allowPrivilegeEscalation'] === false) {
    const rule = 'cannot set `allowPrivilegeEscalation` to false and';
    if (privileged === true) report.invalid(path, context, `${rule} \`privileged\` to true`);
    for (const capability of textsOf(structOf(context['capabilities'])?.['add'])) {
      if (capability === 'CAP_SYS_ADMIN') report.invalid(path, context, `${rule} \`capabilities.Add\` CAP_SYS_ADMIN`);
    }
  }
  validateWindowsOptions(report, `${path}.windowsOptions`, context['windowsOptions']);
  validateAppArmor(report, `${path}.appArmorProfile`, context['appArmorProfile']);
}

/** Checks the security context of a pod. */
export function validatePodSecurityContext(report: FieldReport, path: string, spec: Values): void {
  const context = structOf(spec['securityContext']);
  if (!context) return;
  for (const field of ['fsGroup', 'runAsUser', 'runAsGroup']) validateId(report, `${path}.${field}`, context[field]);
  const groups = context['supplementalGroups'];
  for (const [index, group] of (Array.isArray(groups) ? groups : []).entries()) {
    validateId(report, `${path}.supplementalGroups[${index}]`, group);
  }
  if (spec['shareProcessNamespace'] === true && spec['hostPID'] === true) {
    const at = path.replace(/securityContext$/, 'securityContext.shareProcessNamespace');
    report.invalid(at, true, 'ShareProcessNamespace and HostPID cannot both be enabled');
  }
  validateSysctls(report, `${path}.sysctls`, itemsOf(context['sysctls']), spec);
  report.oneOfOptional(`${path}.fsGroupChangePolicy`, context['fsGroupChangePolicy'], ['Always', 'OnRootMismatch']);
  validateSeccomp(report, `${path}.seccompProfile`, context['seccompProfile']);
  validateWindowsOptions(report, `${path}.windowsOptions`, context['windowsOptions']);
  validateAppArmor(report, `${path}.appArmorProfile`, context['appArmorProfile']);
  report.oneOfOptional(`${path}.supplementalGroupsPolicy`, context['supplementalGroupsPolicy'], ['Merge', 'Strict']);
  report.oneOfOptional(`${path}.seLinuxChangePolicy`, context['seLinuxChangePolicy'], ['Recursive']);
}

function validateSysctls(report: FieldReport, path: string, sysctls: readonly Values[], spec: Values): void {
  const names = new Set<string>();
  for (const [index, { name: value }] of sysctls.entries()) {
    const name = textOf(value);
    const at = `${path}[${index}].name`;
    if (!name) report.required(at);
    else if (name.length > 253 || !SYSCTL.test(name)) report.invalid(at, name, SYSCTL_RULE);
    else if (names.has(name)) report.duplicate(at, name);
    names.add(name);
    const shared = SHARED_SYSCTLS.find(({ field, names: form }) => spec[field] === true && form.test(name));
    if (shared) report.invalid(at, name, `may not be specified when '${shared.field}' is true`);
  }
}

/** The settings of the kernel that a pod shares with its node, by the fields that make it do so. */
const SHARED_SYSCTLS = [
  { field: 'hostNetwork', names: /^net[./]/ },
  { field: 'hostIPC', names: /^kernel[./](?:sem$|shm|msg)|^fs[./]mqueue[./]/ },
];

function validateId(report: FieldReport, path: string, value: unknown): void {
  if (value !== undefined) report.inRange(path, value, 0, HIGHEST_ID);
}

function validateSeccomp(report: FieldReport, path: string, value: unknown): void {
  const profile = structOf(value);
  if (!profile) return;
  const { type, localhostProfile } = profile;
  report.oneOfRequired(`${path}.type`, type, PROFILES, 'type is required when seccompProfile is set');
  if (type !== 'Localhost') {
    if (localhostProfile === undefined) return;
    report.invalid(`${path}.localhostProfile`, profile, 'can only be set when seccomp type is Localhost');
  } else if (localhostProfile === undefined) {
    report.required(`${path}.localhostProfile`, 'must be set when seccomp type is Localhost');
  } else validateInnerPath(report, `${path}.localhostProfile`, localhostProfile);
}

function validateAppArmor(report: FieldReport, path: string, value: unknown): void {
  const profile = structOf(value);
  if (!profile) return;
  const { type, localhostProfile } = profile;
  const at = `${path}.localhostProfile`;
  if (type === 'Localhost') {
    const text = textOf(localhostProfile);
    if (localhostProfile !== undefined && text.trim() !== text) {
      report.invalid(at, text, 'must not be padded with whitespace');
    } else report.requiredText(at, localhostProfile, 'must be set when AppArmor type is Localhost');
  } else if (type === 'RuntimeDefault' || type === 'Unconfined') {
    if (localhostProfile !== undefined)
      report.invalid(at, localhostProfile, 'can only be set when AppArmor type is Localhost');
  } else report.oneOfRequired(`${path}.type`, type, PROFILES, 'type is required when appArmorProfile is set');
}
