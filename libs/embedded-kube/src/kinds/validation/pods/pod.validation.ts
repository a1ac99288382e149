import { label, qualifiedName, subdomain } from '../../../resources/name.rules.js';
import {
  type ContainerScope,
  validateContainers,
  validateEphemeralContainers,
  validateImageSpace,
  validateInitContainers,
} from './container.validation.js';
import { countOf, type FieldReport, itemsOf, structOf, textOf, textsOf, type Values } from '../field.report.js';
import { validateResources } from '../resource.validation.js';
import { validatePodResources } from './pod-resource.validation.js';
import { validateAffinity, validateSpreading, validateTolerations } from './scheduling.validation.js';
import { validatePodSecurityContext } from './security.validation.js';
import { validateLabels } from '../selector.validation.js';
import { searchDomain, validateAddress } from '../text.rules.js';
import { validateHostProcesses, validateOs, visitContainers } from './windows.validation.js';
import { validateVolumes } from './volume.validation.js';

const HIGHEST = 2 ** 31 - 1;
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const GATED = ['readinessGates', 'schedulingGates'] as const;

/** Checks the spec of a pod, in the order of the real server. */
export function validatePodSpec(report: FieldReport, path: string, spec: Values, isPod: boolean): void {
  const volumes = validateVolumes(report, `${path}.volumes`, spec['volumes']);
  const claimNames = validateResourceClaims(report, `${path}.resourceClaims`, itemsOf(spec['resourceClaims']));
  validateAllContainers(report, path, spec, {
    volumes,
    claimNames,
    gracePeriod: Number(spec['terminationGracePeriodSeconds']),
    restartPolicy: spec['restartPolicy'],
    hostUsers: spec['hostUsers'] !== false,
  });
  const resources = structOf(spec['resources']);
  if (resources) validatePodResources(report, path, spec, claimNames);
  validateHostNetwork(report, path, spec, isPod);
  report.oneOfRequired(`${path}.restartPolicy`, spec['restartPolicy'], ['Always', 'OnFailure', 'Never']);
  report.oneOfRequired(`${path}.dnsPolicy`, spec['dnsPolicy'], DNS_POLICIES);
  validateLabels(report, `${path}.nodeSelector`, spec['nodeSelector']);
  validatePodSecurityContext(report, `${path}.securityContext`, spec);
  validateAffinity(report, `${path}.affinity`, spec['affinity']);
  validateDns(report, `${path}.dnsConfig`, structOf(spec['dnsConfig']), spec['dnsPolicy']);
  for (const field of GATED) validateGates(report, `${path}.${field}`, field, itemsOf(spec[field]));
  validateSpreading(report, `${path}.topologySpreadConstraints`, spec['topologySpreadConstraints']);
  validateHostProcesses(report, path, spec);
  validateHostUsers(report, path, spec);
  validateHostname(report, path, spec);
  if (spec['serviceAccountName']) report.named(`${path}.serviceAccountName`, spec['serviceAccountName'], subdomain);
  if (spec['nodeName']) report.named(`${path}.nodeName`, spec['nodeName'], subdomain);
  const deadline = spec['activeDeadlineSeconds'];
  if (deadline !== undefined) report.inRange(`${path}.activeDeadlineSeconds`, deadline, 1, HIGHEST);
  for (const field of ['hostname', 'subdomain']) if (spec[field]) report.named(`${path}.${field}`, spec[field], label);
  validateTolerations(report, `${path}.tolerations`, spec['tolerations']);
  validateHostAliases(report, `${path}.hostAliases`, itemsOf(spec['hostAliases']));
  if (spec['priorityClassName']) report.named(`${path}.priorityClassName`, spec['priorityClassName'], subdomain);
  if (spec['runtimeClassName'] !== undefined)
    report.named(`${path}.runtimeClassName`, spec['runtimeClassName'], subdomain);
  if (spec['preemptionPolicy'] !== undefined) {
    report.oneOfRequired(`${path}.preemptionPolicy`, spec['preemptionPolicy'], ['PreemptLowerPriority', 'Never']);
  }
  if (spec['overhead'] !== undefined) validateResources(report, `${path}.overhead`, { limits: spec['overhead'] });
  validateOs(report, path, spec);
  validateFileVolumes(report, path, spec);
}

/** Checks the template of pods that a workload makes. */
export function validatePodTemplate(report: FieldReport, path: string, template: Values): void {
  const metadata = structOf(template['metadata']) ?? {};
  const spec = structOf(template['spec']) ?? {};
  validateLabels(report, `${path}.labels`, metadata['labels']);
  for (const key of Object.keys(structOf(metadata['annotations']) ?? {})) {
    for (const problem of qualifiedName(key.toLowerCase())) report.invalid(`${path}.annotations`, key, problem);
  }
  validatePodSpec(report, `${path}.spec`, spec, false);
  if (countOf(spec['ephemeralContainers']) > 0) {
    report.forbidden(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template');
  }
}

function validateAllContainers(report: FieldReport, path: string, spec: Values, scope: ContainerScope): void {
  const regular = itemsOf(spec['containers']);
  const first = itemsOf(spec['initContainers']);
  validateContainers(report, `${path}.containers`, regular, scope);
  validateInitContainers(report, `${path}.initContainers`, first, regular, scope);
  const ephemeral = spec['ephemeralContainers'];
  validateEphemeralContainers(report, `${path}.ephemeralContainers`, ephemeral, [...regular, ...first], scope);
}

/** Checks the rules of pods that templates need not follow. */
export function validatePodOnly(report: FieldReport, path: string, spec: Values): void {
  for (const [index, volume] of spec['serviceAccountName'] ? [] : itemsOf(spec['volumes']).entries()) {
    for (const [position, source] of itemsOf(structOf(volume['projected'])?.['sources']).entries()) {
      if (!structOf(source['serviceAccountToken'])) continue;
      const at = `${path}.volumes[${index}].projected.sources[${position}].serviceAccountToken`;
      report.forbidden(at, 'must not be specified when serviceAccountName is not set');
    }
  }
  for (const field of ['containers', 'initContainers']) {
    for (const [index, container] of itemsOf(spec[field]).entries()) {
      validateImageSpace(report, `${path}.${field}[${index}]`, container);
    }
  }
}

function validateResourceClaims(report: FieldReport, path: string, claims: readonly Values[]): Set<string> {
  const names = new Set(claims.map(({ name }) => textOf(name)).filter(Boolean));
  const seen = new Set<string>();
  for (const [index, claim] of claims.entries()) {
    const at = `${path}[${index}]`;
    const name = textOf(claim['name']);
    const { resourceClaimName, resourceClaimTemplateName } = claim;
    if (!name) report.required(`${at}.name`);
    else if (seen.has(name)) report.duplicate(`${at}.name`, name);
    else report.named(`${at}.name`, name, label);
    seen.add(name);
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
      report.invalid(at, claim, 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified');
    }
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      report.invalid(at, claim, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`');
    }
    for (const field of ['resourceClaimName', 'resourceClaimTemplateName']) {
      if (claim[field] !== undefined) report.named(`${at}.${field}`, claim[field], subdomain);
    }
  }
  return names;
}

function validateHostNetwork(report: FieldReport, path: string, spec: Values, isPod: boolean): void {
  if (spec['hostNetwork'] !== true) return;
  for (const [index, container] of itemsOf(spec['containers']).entries()) {
    for (const [position, { hostPort, containerPort }] of itemsOf(container['ports']).entries()) {
      if ((!isPod && !hostPort) || (hostPort ?? 0) === (containerPort ?? 0)) continue;
      const at = `${path}.containers[${index}].ports[${position}].hostPort`;
      report.invalid(at, hostPort ?? 0, 'must match `containerPort` when `hostNetwork` is true');
    }
  }
}

function validateDns(report: FieldReport, path: string, config: Values | undefined, policy: unknown): void {
  const servers = textsOf(config?.['nameservers']);
  if (policy === 'None') {
    if (!config) return report.required(path, 'must provide `dnsConfig` when `dnsPolicy` is None');
    if (servers.length === 0) {
      return report.required(
        `${path}.nameservers`,
        'must provide at least one DNS nameserver when `dnsPolicy` is None',
      );
    }
  }
  if (servers.length > 3) report.invalid(`${path}.nameservers`, servers, 'must not have more than 3 nameservers');
  for (const [index, server] of servers.entries()) validateAddress(report, `${path}.nameservers[${index}]`, server);
  const searches = textsOf(config?.['searches']);
  if (searches.length > 32) report.invalid(`${path}.searches`, searches, 'must not have more than 32 search paths');
  if (searches.join(' ').length > 2048) {
    const rule = 'must not have more than 2048 characters (including spaces) in the search list';
    report.invalid(`${path}.searches`, searches, rule);
  }
  for (const [index, search] of searches.entries()) {
    if (search !== '.') report.named(`${path}.searches[${index}]`, search.replace(/\.$/, ''), searchDomain);
  }
  for (const [index, { name }] of itemsOf(config?.['options']).entries()) {
    if (!name) report.required(`${path}.options[${index}]`, 'must not be empty');
  }
}

function validateGates(
  report: FieldReport,
  path: string,
  field: (typeof GATED)[number],
  gates: readonly Values[],
): void {
  const names = new Set<unknown>();
  for (const [index, gate] of gates.entries()) {
    if (field === 'readinessGates') {
      report.named(`${path}[${index}].conditionType`, gate['conditionType'], qualifiedName);
      continue;
    }
    report.named(`${path}[${index}]`, gate['name'], qualifiedName);
    if (names.has(gate['name'])) report.duplicate(`${path}[${index}]`, textOf(gate['name']));
    names.add(gate['name']);
  }
}

function validateHostUsers(report: FieldReport, path: string, spec: Values): void {
  if (spec['hostUsers'] !== false) return;
  if (spec['hostNetwork']) report.forbidden(`${path}.hostNetwork`, 'when `hostUsers` is false');
  if (spec['hostPID']) report.forbidden(`${path}.HostPID`, 'when `hostUsers` is false');
  if (spec['hostIPC']) report.forbidden(`${path}.HostIPC`, 'when `hostUsers` is false');
  for (const { at, container } of visitContainers(path, spec)) {
    if (countOf(container['volumeDevices']) > 0) report.forbidden(`${at}.volumeDevices`, 'when `hostUsers` is false');
  }
}

/** The limit of a hostname's length in Linux, in bytes. */
const LONGEST_HOSTNAME = 64;

function validateHostname(report: FieldReport, path: string, spec: Values): void {
  const name = spec['hostnameOverride'];
  if (name === undefined) return;
  const at = `${path}.hostnameOverride`;
  if (spec['setHostnameAsFQDN'] === true) report.forbidden(at, 'may not be specified when setHostnameAsFQDN is true');
  if (spec['hostNetwork'] === true) report.forbidden(at, 'may not be specified when hostNetwork is true');
  if (Buffer.byteLength(textOf(name)) > LONGEST_HOSTNAME) report.tooLong(at, LONGEST_HOSTNAME);
  report.named(at, name, subdomain);
}

function validateHostAliases(report: FieldReport, path: string, aliases: readonly Values[]): void {
  for (const [index, { ip, hostnames }] of aliases.entries()) {
    validateAddress(report, `${path}[${index}].ip`, ip);
    for (const [position, name] of textsOf(hostnames).entries()) {
      report.named(`${path}[${index}].hostnames[${position}]`, name, subdomain);
    }
  }
}

/** Checks that variables are read from files in volumes that are empty at first. */
function validateFileVolumes(report: FieldReport, path: string, spec: Values): void {
  const volumes = new Map(itemsOf(spec['volumes']).map((volume) => [textOf(volume['name']), volume]));
  for (const { at, container } of visitContainers(path, spec)) {
    for (const [index, { valueFrom }] of itemsOf(container['env']).entries()) {
      const file = structOf(structOf(valueFrom)?.['fileKeyRef']);
      if (!file) continue;
      const name = textOf(file['volumeName']);
      const field = `${at}.env[${index}].valueFrom.fileKeyRef.volumeName`;
      const volume = volumes.get(name);
      if (!volume) report.notFound(field, name);
      else if (!structOf(volume['emptyDir'])) report.invalid(field, name, 'referenced volume must be of type emptyDir');
    }
  }
}
