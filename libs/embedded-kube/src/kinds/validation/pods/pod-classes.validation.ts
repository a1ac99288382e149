import { SYSTEM_PRIORITY_CLASSES } from '../../priority.classes.js';
import type { Draft, KubeObject } from '../../../resources/kube-object.js';
import { label } from '../../../resources/name.rules.js';
import { type FieldReport, isSameContent, itemsOf, structOf, type Values } from '../field.report.js';
import { validateResources } from '../resource.validation.js';
import { validateLabels } from '../selector.validation.js';
import { validateTolerations } from './scheduling.validation.js';

const HIGHEST_PRIORITY = 1_000_000_000;

export function validatePriorityClass(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  const value = object['value'] ?? 0;
  if (previous) {
    if (value !== (previous['value'] ?? 0)) report.forbidden('value', 'may not be changed in an update.');
    return report.unchanged('preemptionPolicy', object['preemptionPolicy'], previous['preemptionPolicy']);
  }
  const isSystem = object.metadata.name?.startsWith('system-') === true;
  if (isSystem) {
    const rule = "priority class names with 'system-' prefix are reserved for system use only. error: ";
    const problem = systemClassProblem(object.metadata.name!, value, object['globalDefault'] === true);
    if (problem) report.forbidden('metadata.name', `${rule}${problem}`);
  } else if (Number(value) > HIGHEST_PRIORITY) {
    report.forbidden('value', `maximum allowed value of a user defined priority is ${HIGHEST_PRIORITY}`);
  }
  report.oneOfOptional('preemptionPolicy', object['preemptionPolicy'], ['PreemptLowerPriority', 'Never']);
}

/** Returns the difference of a class from the one that every cluster has by this name. */
function systemClassProblem(name: string, value: unknown, isDefault: boolean): string | undefined {
  const known = SYSTEM_PRIORITY_CLASSES.find((each) => each.name === name);
  if (!known) return `${name} is not a known system priority class`;
  if (value !== known.value) return `value of ${name} PriorityClass must be ${known.value}`;
  return isDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

export function validateRuntimeClass(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  report.namedRequired('handler', object['handler'], label);
  const overhead = structOf(object['overhead']);
  if (overhead) validateResources(report, 'overhead', { limits: overhead['podFixed'] });
  const scheduling = structOf(object['scheduling']);
  if (scheduling) validateClassScheduling(report, scheduling);
  if (previous) report.unchanged('handler', object['handler'] ?? '', previous['handler'] ?? '');
}

function validateClassScheduling(report: FieldReport, scheduling: Values): void {
  validateLabels(report, 'scheduling.nodeSelector', scheduling['nodeSelector']);
  const tolerations = itemsOf(scheduling['tolerations']);
  validateTolerations(report, 'scheduling.tolerations', tolerations);
  for (const [index, toleration] of tolerations.entries()) {
    const untimed = ({ tolerationSeconds: _, ...each }: Values): Values => each;
    const isRepeated = tolerations.slice(0, index).some((each) => isSameContent(untimed(each), untimed(toleration)));
    if (isRepeated) report.duplicate(`scheduling.tolerations[${index}]`, toleration);
  }
}
