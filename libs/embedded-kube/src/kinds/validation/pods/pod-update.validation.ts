import { type FieldReport, isSameContent, itemsOf, structOf, textOf, type Values } from '../field.report.js';
import { validateTolerations } from './scheduling.validation.js';

const FIXED_RULE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
  '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
const LONGEST_DEADLINE = 2 ** 31 - 1;

/** Checks a change of the spec of a pod, of which only few fields can change. */
export function validatePodChange(report: FieldReport, spec: Values, old: Values): void {
  for (const field of ['containers', 'initContainers']) {
    if (!validateContainerChange(report, `spec.${field}`, itemsOf(spec[field]), itemsOf(old[field]))) return;
  }
  if (!validateDeadline(report, spec['activeDeadlineSeconds'], old['activeDeadlineSeconds'])) return;
  validateAddedTolerations(report, itemsOf(spec['tolerations']), itemsOf(old['tolerations']));
  const gates = itemsOf(old['schedulingGates']).map(({ name }) => name);
  for (const [index, { name }] of itemsOf(spec['schedulingGates']).entries()) {
    if (gates.includes(name)) continue;
    const rule = `only deletion is allowed, but found new scheduling gate '${textOf(name)}'`;
    report.forbidden(`spec.schedulingGates[${index}].name`, rule);
  }
  const next = gates.length > 0 ? validateGated(report, spec, old) : spec;
  if (!isSamePodSpec(fixed(next, old), old)) report.forbidden('spec', FIXED_RULE);
}

/** Compares the specs of pods. Empty resources of a pod are not the same as none. */
export function isSamePodSpec(next: Values, old: Values): boolean {
  return (next['resources'] === undefined) === (old['resources'] === undefined) && isSameContent(next, old);
}

/** @returns whether the same containers are there */
function validateContainerChange(
  report: FieldReport,
  path: string,
  containers: readonly Values[],
  old: readonly Values[],
): boolean {
  if (containers.length !== old.length) {
    report.forbidden(path, 'pod updates may not add or remove containers');
    return false;
  }
  for (const [index, { image }] of containers.entries()) {
    const text = textOf(image);
    report.requiredText(`${path}[${index}].image`, text);
    if (text.trim() === text) continue;
    report.invalid(`${path}[${index}].image`, text, 'must not have leading or trailing whitespace');
  }
  return true;
}

/** @returns whether the deadline may be as it is */
function validateDeadline(report: FieldReport, deadline: unknown, old: unknown): boolean {
  const path = 'spec.activeDeadlineSeconds';
  const found = report.errors.length;
  if (deadline === undefined) {
    if (old !== undefined) report.invalid(path, null, 'must not update from a positive integer to nil value');
    return true;
  }
  if (Number(deadline) < 0 || Number(deadline) > LONGEST_DEADLINE) report.inRange(path, deadline, 0, LONGEST_DEADLINE);
  else if (old !== undefined && Number(old) < Number(deadline)) {
    report.invalid(path, deadline, 'must be less than or equal to previous value');
  }
  return report.errors.length === found;
}

function validateAddedTolerations(report: FieldReport, list: readonly Values[], old: readonly Values[]): void {
  const untimed = ({ tolerationSeconds: _, ...toleration }: Values): Values => toleration;
  const isKept = old.every((each) => list.some((other) => isSameContent(untimed(each), untimed(other))));
  if (isKept) validateTolerations(report, 'spec.tolerations', list);
  else report.forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds');
}

/** Checks pods that wait at a gate, whose node selection may still change. @returns the spec without that */
function validateGated(report: FieldReport, spec: Values, old: Values): Values {
  const [selector, before] = [spec, old].map((each) => structOf(each['nodeSelector']) ?? {}) as [Values, Values];
  const isExtended = Object.entries(before).every(([key, value]) => selector[key] === value);
  if (!isExtended) {
    report.invalid(
      'spec.nodeSelector',
      selector,
      'only additions to spec.nodeSelector are allowed (no mutations or deletions)',
    );
  }
  return { ...spec, nodeSelector: old['nodeSelector'], affinity: old['affinity'] };
}

/** Returns the spec with what may change as it was before. */
function fixed(spec: Values, old: Values): Values {
  const withImages = (field: string): object[] =>
    itemsOf(spec[field]).map((each, index) => ({ ...each, image: itemsOf(old[field])[index]?.['image'] }));
  const ends = Number(old['terminationGracePeriodSeconds']) < 0 && spec['terminationGracePeriodSeconds'] === 1;
  return {
    ...spec,
    containers: withImages('containers'),
    initContainers: withImages('initContainers'),
    activeDeadlineSeconds: old['activeDeadlineSeconds'],
    schedulingGates: old['schedulingGates'],
    tolerations: old['tolerations'],
    ...(ends && { terminationGracePeriodSeconds: old['terminationGracePeriodSeconds'] }),
  };
}
