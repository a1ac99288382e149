import { label } from '../../../resources/name.rules.js';
import { countOf, type FieldReport, itemsOf, structOf, textOf, type Values } from '../field.report.js';
import { validateEnv, validateEnvFrom } from './env.validation.js';
import { validateDevices, validateMounts } from './mount.validation.js';
import { validateLifecycle, validateProbe } from './probe.validation.js';
import { validateResources } from '../resource.validation.js';
import { validateSecurityContext } from './security.validation.js';
import { portName } from '../text.rules.js';

/** The facts about a pod on which the rules of its containers depend. */
export interface ContainerScope {
  /** The volumes that are valid, by their names. */
  readonly volumes: ReadonlyMap<string, Values>;
  readonly claimNames: ReadonlySet<string>;
  readonly gracePeriod: number;
  readonly restartPolicy: unknown;
  readonly hostUsers: boolean;
}

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
const WITHOUT_RESTART = 'may not be set for init containers without restartPolicy=Always';
const NOT_EPHEMERAL = 'cannot be set for an Ephemeral Container';
const FORBIDDEN_IF_EPHEMERAL = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
];
const UNRULED = 'must specify restartPolicy when restart rules are used';

export function validateContainers(report: FieldReport, path: string, list: unknown, scope: ContainerScope): void {
  const containers = itemsOf(list);
  if (containers.length === 0) return report.required(path);
  const names = new Set<unknown>();
  for (const [index, container] of containers.entries()) {
    const at = `${path}[${index}]`;
    validateCommon(report, at, container, scope);
    if (names.has(container['name'])) report.duplicate(`${at}.name`, textOf(container['name']));
    names.add(container['name']);
    validateLifecycle(report, `${at}.lifecycle`, container['lifecycle'], scope.gracePeriod);
    for (const probe of PROBES) validateProbe(report, `${at}.${probe}`, container[probe], probe, scope.gracePeriod);
    validateRestartRules(report, at, container);
  }
  validateHostPorts(report, path, containers);
}

export function validateInitContainers(
  report: FieldReport,
  path: string,
  list: unknown,
  regular: readonly Values[],
  scope: ContainerScope,
): void {
  const names = new Set(regular.map(({ name }) => name));
  for (const [index, container] of itemsOf(list).entries()) {
    const at = `${path}[${index}]`;
    validateCommon(report, at, container, scope);
    validateInitRestartRules(report, at, container);
    const { name } = container;
    if (names.has(name)) report.duplicate(`${at}.name`, textOf(name));
    else if (name) names.add(name);
    validateHostPorts(report, path, [container]);
    if (container['restartPolicy'] === 'Always') {
      validateLifecycle(report, `${at}.lifecycle`, container['lifecycle'], scope.gracePeriod);
      for (const probe of PROBES) validateProbe(report, `${at}.${probe}`, container[probe], probe, scope.gracePeriod);
      continue;
    }
    for (const field of ['lifecycle', ...PROBES])
      if (container[field]) report.forbidden(`${at}.${field}`, WITHOUT_RESTART);
    for (const [position, { restartPolicy }] of itemsOf(container['resizePolicy']).entries()) {
      if (restartPolicy !== 'RestartContainer') continue;
      const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
      report.invalid(`${at}.resizePolicy[${position}].restartPolicy`, restartPolicy, detail);
    }
  }
}

export function validateEphemeralContainers(
  report: FieldReport,
  path: string,
  list: unknown,
  others: readonly Values[],
  scope: ContainerScope,
): void {
  const otherNames = new Set(others.map(({ name }) => name));
  const names = new Set(otherNames);
  for (const [index, container] of itemsOf(list).entries()) {
    const at = `${path}[${index}]`;
    const { name, targetContainerName } = container;
    validateCommon(report, at, container, scope);
    validateImageSpace(report, at, container);
    if (names.has(name)) report.duplicate(`${at}.name`, textOf(name));
    names.add(name);
    if (targetContainerName && !otherNames.has(targetContainerName)) {
      report.notFound(`${at}.targetContainerName`, targetContainerName);
    }
    for (const field of FORBIDDEN_IF_EPHEMERAL) {
      if (isSet(container[field], field)) report.forbidden(`${at}.${field}`, NOT_EPHEMERAL);
    }
    for (const [position, mount] of itemsOf(container['volumeMounts']).entries()) {
      for (const field of ['subPath', 'subPathExpr']) {
        if (mount[field]) report.forbidden(`${at}.volumeMounts[${position}].${field}`, NOT_EPHEMERAL);
      }
    }
  }
}

/** Whether a field is set. Limits and requests are always set; all other fields are as soon as they exist, even if empty. */
function isSet(value: unknown, field: string): boolean {
  if (value === undefined || value === null) return false;
  return field !== 'resources' || Object.values(value).some((each) => each !== undefined);
}

/** Checks an image with blanks around it, which templates may have. */
export function validateImageSpace(report: FieldReport, path: string, { image }: Values): void {
  if (textOf(image) !== textOf(image).trim()) {
    report.invalid(`${path}.image`, image, 'must not have leading or trailing whitespace');
  }
}

function validateCommon(report: FieldReport, path: string, container: Values, scope: ContainerScope): void {
  const { volumeMounts, volumeDevices } = container;
  report.namedRequired(`${path}.name`, container['name'], label);
  report.requiredText(`${path}.image`, container['image']);
  const policy = container['terminationMessagePolicy'];
  report.oneOfRequired(`${path}.terminationMessagePolicy`, policy, ['File', 'FallbackToLogsOnError']);
  validatePorts(report, `${path}.ports`, itemsOf(container['ports']));
  validateEnv(report, `${path}.env`, itemsOf(container['env']));
  validateEnvFrom(report, `${path}.envFrom`, itemsOf(container['envFrom']));
  validateMounts(report, `${path}.volumeMounts`, container, scope.volumes);
  validateDevices(report, `${path}.volumeDevices`, itemsOf(volumeDevices), itemsOf(volumeMounts), scope.volumes);
  report.oneOfRequired(`${path}.imagePullPolicy`, container['imagePullPolicy'], ['Always', 'IfNotPresent', 'Never']);
  validateResources(report, `${path}.resources`, structOf(container['resources']) ?? {}, scope.claimNames);
  validateResizePolicy(report, `${path}.resizePolicy`, itemsOf(container['resizePolicy']), scope);
  validateSecurityContext(report, `${path}.securityContext`, container['securityContext'], scope.hostUsers);
}

function validatePorts(report: FieldReport, path: string, ports: readonly Values[]): void {
  const names = new Set<unknown>();
  for (const [index, { name, containerPort, hostPort, protocol }] of ports.entries()) {
    const at = `${path}[${index}]`;
    if (name) {
      const problems = portName(textOf(name));
      for (const problem of problems) report.invalid(`${at}.name`, name, problem);
      if (problems.length === 0 && names.has(name)) report.duplicate(`${at}.name`, name);
      if (problems.length === 0) names.add(name);
    }
    if (!containerPort) report.required(`${at}.containerPort`);
    else report.port(`${at}.containerPort`, containerPort);
    if (hostPort) report.port(`${at}.hostPort`, hostPort);
    report.oneOfRequired(`${at}.protocol`, protocol, PROTOCOLS);
  }
}

function validateHostPorts(report: FieldReport, path: string, containers: readonly Values[]): void {
  const taken = new Set<string>();
  for (const [index, container] of containers.entries()) {
    for (const [position, { hostPort, hostIP, protocol }] of itemsOf(container['ports']).entries()) {
      if (!hostPort) continue;
      const key = `${textOf(protocol)}/${textOf(hostIP)}/${textOf(hostPort)}`;
      if (taken.has(key)) report.duplicate(`${path}[${index}].ports[${position}].hostPort`, key);
      taken.add(key);
    }
  }
}

function validateResizePolicy(
  report: FieldReport,
  path: string,
  policies: readonly Values[],
  { restartPolicy: podPolicy }: ContainerScope,
): void {
  const resources = new Set<unknown>();
  for (const [index, { resourceName, restartPolicy }] of policies.entries()) {
    if (resources.has(resourceName)) report.duplicate(`${path}[${index}]`, textOf(resourceName));
    resources.add(resourceName);
    report.oneOfRequired(path, resourceName, ['cpu', 'memory']);
    report.oneOfRequired(path, restartPolicy, ['NotRequired', 'RestartContainer']);
    if (podPolicy === 'Never' && restartPolicy !== 'NotRequired') {
      report.invalid(path, restartPolicy ?? '', "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
    }
  }
}

/** Checks the restart rules of an init container; without a policy, they are not looked at any further. */
function validateInitRestartRules(report: FieldReport, path: string, container: Values): void {
  if (container['restartPolicy'] !== undefined) validateRestartRules(report, path, container);
  else if (countOf(container['restartPolicyRules']) > 0) report.required(`${path}.restartPolicy`, UNRULED);
}

function validateRestartRules(report: FieldReport, path: string, container: Values): void {
  const { restartPolicy } = container;
  const rules = itemsOf(container['restartPolicyRules']);
  if (restartPolicy !== undefined)
    report.oneOf(`${path}.restartPolicy`, restartPolicy, ['Always', 'Never', 'OnFailure']);
  else if (rules.length > 0) {
    report.required(`${path}.restartPolicy`, UNRULED);
  }
  if (rules.length > 20) report.tooMany(`${path}.restartPolicyRules`, rules.length, 20);
  for (const [index, { action, exitCodes }] of rules.entries()) {
    const at = `${path}.restartPolicyRules[${index}]`;
    report.oneOf(`${at}.action`, action, ['Restart', 'RestartAllContainers']);
    const codes = structOf(exitCodes);
    if (codes) {
      report.oneOf(`${at}.exitCodes.operator`, codes['operator'], ['In', 'NotIn']);
      const count = countOf(codes['values']);
      if (count > 255) report.tooMany(`${at}.exitCodes.values`, count, 255);
    } else report.required(`${at}.exitCodes`, 'must be specified');
  }
}
