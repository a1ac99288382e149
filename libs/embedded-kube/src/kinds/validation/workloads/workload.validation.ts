import { isMapping } from '../../../common/json.values.js';
import type { Draft, KubeObject } from '../../../resources/kube-object.js';
import { label } from '../../../resources/name.rules.js';
import { validateClaimSpec } from '../storage/claim.validation.js';
import { countOf, type FieldReport, isSameContent, itemsOf, structOf, textOf, type Values } from '../field.report.js';
import { validatePodTemplate } from '../pods/pod.validation.js';
import { isEmpty, isReadable, selects, validateLabels, validateLabelSelector } from '../selector.validation.js';

const MISMATCH = '`selector` does not match template `labels`';
const STATEFUL_RULE =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
const STATEFUL_CHANGES = [
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
];

export function validateDeployment(report: FieldReport, spec: Values, old: Values | undefined): void {
  report.nonNegative('spec.replicas', spec['replicas']);
  validateSelectedTemplate(report, spec, 'deployment');
  validateDeploymentStrategy(report, 'spec.strategy', structOf(spec['strategy']) ?? {});
  report.nonNegative('spec.minReadySeconds', spec['minReadySeconds']);
  report.nonNegative('spec.revisionHistoryLimit', spec['revisionHistoryLimit']);
  const deadline = spec['progressDeadlineSeconds'];
  report.nonNegative('spec.progressDeadlineSeconds', deadline);
  if (deadline !== undefined && Number(deadline) <= Number(spec['minReadySeconds'] ?? 0)) {
    report.invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds');
  }
  if (old) report.unchanged('spec.selector', spec['selector'], old['selector']);
}

export function validateReplicaSet(report: FieldReport, spec: Values, old: Values | undefined): void {
  report.nonNegative('spec.replicas', spec['replicas']);
  report.nonNegative('spec.minReadySeconds', spec['minReadySeconds']);
  validateSelectedTemplate(report, spec, 'deployment');
  if (old) report.unchanged('spec.selector', spec['selector'], old['selector']);
}

export function validateReplicationController(report: FieldReport, spec: Values): void {
  report.nonNegative('spec.minReadySeconds', spec['minReadySeconds']);
  const selector = structOf(spec['selector']) ?? {};
  if (countOf(selector) === 0) report.required('spec.selector');
  report.nonNegative('spec.replicas', spec['replicas']);
  const template = structOf(spec['template']);
  if (!template) return report.required('spec.template');
  const labels = labelsOf(template);
  if (!selects({ matchLabels: selector }, labels ?? {}))
    report.invalid('spec.template.metadata.labels', labels, MISMATCH);
  validatePodTemplate(report, 'spec.template', template);
  validateLasting(report, template, 'ReplicationController');
}

export function validateDaemonSet(report: FieldReport, spec: Values, old: Values | undefined): void {
  if (old) report.unchanged('spec.selector', spec['selector'], old['selector']);
  const template = structOf(spec['template']) ?? {};
  const selector = structOf(spec['selector']);
  validateLabelSelector(report, 'spec.selector', selector);
  const labels = labelsOf(template);
  if (!selector || (isReadable(selector) && !selects(selector, labels ?? {}))) {
    report.invalid('spec.template.metadata.labels', labels, MISMATCH);
  }
  if (selector && isEmpty(selector)) {
    report.invalid('spec.selector', selector, 'empty selector is invalid for daemonset');
  }
  validatePodTemplate(report, 'spec.template', template);
  validateLasting(report, template, 'DaemonSet');
  report.nonNegative('spec.minReadySeconds', spec['minReadySeconds']);
  validateDaemonStrategy(report, 'spec.updateStrategy', structOf(spec['updateStrategy']) ?? {});
  report.nonNegative('spec.revisionHistoryLimit', spec['revisionHistoryLimit']);
}

export function validateStatefulSet(report: FieldReport, spec: Values, old: Values | undefined): void {
  const management = textOf(spec['podManagementPolicy']);
  if (
    report.requiredText('spec.podManagementPolicy', management) &&
    !['OrderedReady', 'Parallel'].includes(management)
  ) {
    report.invalid('spec.podManagementPolicy', management, "must be 'OrderedReady' or 'Parallel'");
  }
  validateStatefulStrategy(report, 'spec.updateStrategy', structOf(spec['updateStrategy']) ?? {});
  const retention = structOf(spec['persistentVolumeClaimRetentionPolicy']);
  for (const field of ['whenDeleted', 'whenScaled']) {
    if (!retention) continue;
    report.oneOf(`spec.persistentVolumeClaimRetentionPolicy.${field}`, retention[field], ['Retain', 'Delete']);
  }
  const claims = itemsOf(spec['volumeClaimTemplates']);
  for (const [index, claim] of old ? [] : claims.entries()) {
    validateClaimSpec(report, `spec.volumeClaimTemplates[${index}].spec`, structOf(claim['spec']) ?? {});
  }
  report.nonNegative('spec.replicas', spec['replicas']);
  report.nonNegative('spec.minReadySeconds', spec['minReadySeconds']);
  report.nonNegative('spec.ordinals.start', structOf(spec['ordinals'])?.['start']);
  if (spec['serviceName'] && !old) report.named('spec.serviceName', spec['serviceName'], label);
  validateStatefulTemplate(report, spec, claims);
  if (!old) return;
  const kept = Object.fromEntries(STATEFUL_CHANGES.map((field) => [field, old[field]]));
  if (
    !isSameContent(
      { ...spec, ...kept, volumeClaimTemplates: claims.map(unnamed) },
      { ...old, volumeClaimTemplates: itemsOf(old['volumeClaimTemplates']).map(unnamed) },
    )
  )
    report.forbidden('spec', STATEFUL_RULE);
}

/** Returns a template without its kind, which stored templates have. */
function unnamed({ kind: _, apiVersion: __, ...template }: Values): Values {
  return template;
}

function validateStatefulTemplate(report: FieldReport, spec: Values, claims: readonly Values[]): void {
  const selector = validateRequiredSelector(report, spec['selector'], 'statefulset');
  const template = structOf(spec['template']) ?? {};
  const podSpec = structOf(template['spec']) ?? {};
  if (selector !== undefined && !isReadable(selector)) report.invalid('spec.selector', selector, '');
  else {
    const labels = labelsOf(template);
    if (!selector || !selects(selector, labels ?? {})) {
      if (selector === undefined || !isEmpty(selector))
        report.invalid('spec.template.metadata.labels', labels, MISMATCH);
    }
    // The controller gives the pods of the set their names and volumes.
    const named = new Set(claims.map((claim) => structOf(claim['metadata'])?.['name']));
    const own = [...named].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
    const { hostname: _, subdomain: __, ...rest } = podSpec;
    const volumes = [...own, ...itemsOf(podSpec['volumes']).filter(({ name }) => !named.has(name))];
    validatePodTemplate(report, 'spec.template', { ...template, spec: { ...rest, volumes } });
    validateLabels(report, 'spec.template.labels', labels);
  }
  validateLasting(report, template, 'StatefulSet');
}

/** Checks the selector of a workload, and whether it selects its own pods. */
function validateSelectedTemplate(report: FieldReport, spec: Values, kind: string): void {
  const selector = validateRequiredSelector(report, spec['selector'], kind);
  const template = structOf(spec['template']) ?? {};
  if (selector && !isReadable(selector)) return report.invalid('spec.selector', selector, 'invalid label selector');
  const labels = labelsOf(template);
  if (!selector || (!isEmpty(selector) && !selects(selector, labels ?? {}))) {
    report.invalid('spec.template.metadata.labels', labels, MISMATCH);
  }
  validatePodTemplate(report, 'spec.template', template);
  validateLasting(report, template, 'ReplicaSet');
}

function validateRequiredSelector(report: FieldReport, value: unknown, kind: string): Values | undefined {
  const selector = structOf(value);
  if (!selector) report.required('spec.selector');
  else {
    validateLabelSelector(report, 'spec.selector', selector);
    if (isEmpty(selector)) report.invalid('spec.selector', selector, `empty selector is invalid for ${kind}`);
  }
  return selector;
}

/** Checks that pods of workloads that last are always restarted, and have no end. */
function validateLasting(report: FieldReport, template: Values, kind: string): void {
  const podSpec = structOf(template['spec']) ?? {};
  report.oneOf('spec.template.spec.restartPolicy', podSpec['restartPolicy'], ['Always']);
  if (podSpec['activeDeadlineSeconds'] !== undefined) {
    report.forbidden('spec.template.spec.activeDeadlineSeconds', `activeDeadlineSeconds in ${kind} is not Supported`);
  }
}

function validateDeploymentStrategy(report: FieldReport, path: string, strategy: Values): void {
  const { type } = strategy;
  const rolling = structOf(strategy['rollingUpdate']);
  if (type === 'Recreate') {
    if (rolling) report.forbidden(`${path}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'");
  } else if (type === 'RollingUpdate') {
    const { maxUnavailable, maxSurge } = rolling ?? {};
    const at = `${path}.rollingUpdate`;
    validateShare(report, `${at}.maxUnavailable`, maxUnavailable);
    validateShare(report, `${at}.maxSurge`, maxSurge);
    if (shareOf(maxUnavailable) === 0 && shareOf(maxSurge) === 0) {
      report.invalid(`${at}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0');
    }
    validateAtMostAll(report, `${at}.maxUnavailable`, maxUnavailable);
  } else report.oneOf(path, strategyText(strategy), ['Recreate', 'RollingUpdate']);
}

function validateDaemonStrategy(report: FieldReport, path: string, strategy: Values): void {
  const { type } = strategy;
  if (type === 'OnDelete') return;
  if (type !== 'RollingUpdate') return report.oneOf(path, strategyText(strategy), ['RollingUpdate', 'OnDelete']);
  const { maxUnavailable, maxSurge } = structOf(strategy['rollingUpdate']) ?? {};
  const at = `${path}.rollingUpdate`;
  validateShare(report, `${at}.maxUnavailable`, maxUnavailable);
  validateShare(report, `${at}.maxSurge`, maxSurge);
  validateAtMostAll(report, `${at}.maxUnavailable`, maxUnavailable);
  validateAtMostAll(report, `${at}.maxSurge`, maxSurge);
  const [unavailable, surge] = [shareOf(maxUnavailable) !== 0, shareOf(maxSurge) !== 0];
  if (unavailable && surge)
    report.invalid(`${at}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero');
  else if (!unavailable && !surge) report.required(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0');
}

function validateStatefulStrategy(report: FieldReport, path: string, strategy: Values): void {
  const { type } = strategy;
  const rolling = structOf(strategy['rollingUpdate']);
  if (type === 'OnDelete') {
    if (rolling) report.invalid(`${path}.rollingUpdate`, rolling, "only allowed for updateStrategy 'RollingUpdate'");
  } else if (type === 'RollingUpdate') {
    report.nonNegative(`${path}.rollingUpdate.partition`, rolling?.['partition']);
    const share = rolling?.['maxUnavailable'];
    if (share === undefined) return;
    validateShare(report, `${path}.rollingUpdate.maxUnavailable`, share);
    if (shareOf(share) === 0) report.invalid(`${path}.rollingUpdate.maxUnavailable`, share, 'cannot be 0');
    validateAtMostAll(report, `${path}.rollingUpdate.maxUnavailable`, share);
  } else report.invalid(path, strategyText(strategy), "must be 'RollingUpdate' or 'OnDelete'");
}

/** Returns a strategy with the names that Go has for its fields. */
function strategyText({ type, rollingUpdate }: Values): unknown {
  return { Type: type ?? '', RollingUpdate: rollingUpdate ?? null };
}

/** Checks a count, or a share in percent. */
export function validateShare(report: FieldReport, path: string, value: unknown): void {
  if (typeof value === 'string') {
    if (/^[0-9]+%$/.test(value)) return;
    const detail =
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
    report.invalid(path, value, detail);
  } else report.nonNegative(path, value);
}

/** Shares of no more than all. */
export function validateAtMostAll(report: FieldReport, path: string, value: unknown): void {
  if (typeof value === 'string' && /^[0-9]+%$/.test(value) && parseInt(value) > 100) {
    report.invalid(path, value, 'must not be greater than 100%');
  }
}

function shareOf(value: unknown): number {
  return typeof value === 'string' ? parseInt(value) || 0 : Number(value ?? 0);
}

function labelsOf(template: Values): Values | undefined {
  return structOf(structOf(template['metadata'])?.['labels']);
}

/** Checks a revision of a workload, whose data never changes. */
export function validateRevision(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  const { data, revision } = object;
  report.nonNegative('revision', revision);
  if (previous) return report.unchanged('data', data, previous['data']);
  if (data === undefined || data === null) report.required('data', 'data is mandatory');
  else if (!isMapping(data)) report.required('data', 'data must be a valid JSON object');
}
