import { type FieldReport, isSameContent, itemsOf, structOf, textOf, type Values } from '../field.report.js';
import { validateUnchanged } from './workload.validation.js';

/** The fields that say where pods run, which can change while their job is suspended. */
const DIRECTIVES = ['nodeSelector', 'tolerations', 'schedulingGates'];

/** The template of a job never changes, but where its pods run and what they may use, as long as it is suspended and none is running. */
export function validateJobTemplate(report: FieldReport, path: string, next: Values, old: Values): void {
  const [spec, oldSpec] = [structOf(next['spec']) ?? {}, structOf(old['spec']) ?? {}];
  const [template, oldTemplate] = [structOf(spec['template']) ?? {}, structOf(oldSpec['template']) ?? {}];
  if (!canChange(oldSpec, structOf(old['status']) ?? {})) {
    return validateUnchanged(report, path, template, oldTemplate);
  }
  const [pod, oldPod] = [structOf(template['spec']) ?? {}, structOf(oldTemplate['spec']) ?? {}];
  const directives = Object.fromEntries(DIRECTIVES.map((field) => [field, pod[field]]));
  const changed = {
    ...oldPod,
    ...directives,
    affinity: withNodeAffinity(structOf(pod['affinity']), structOf(oldPod['affinity'])),
    containers: withResources(itemsOf(pod['containers']), itemsOf(oldPod['containers'])),
    initContainers: withResources(itemsOf(pod['initContainers']), itemsOf(oldPod['initContainers'])),
  };
  if (!isSameContent(pod, changed)) report.invalid(`${path}.spec`, pod, 'field is immutable');
}

/** Tells whether a job is suspended, and has none of the pods that it had before. */
function canChange({ suspend }: Values, { startTime, conditions, active = 0 }: Values): boolean {
  const isSuspended = itemsOf(conditions).some(({ type, status }) => type === 'Suspended' && status === 'True');
  return suspend === true && (startTime === undefined || isSuspended) && active === 0;
}

function withNodeAffinity(next: Values | undefined, old: Values | undefined): Values | undefined {
  if (!next && !old) return undefined;
  return { ...old, nodeAffinity: next?.['nodeAffinity'] };
}

function withResources(next: readonly Values[], old: readonly Values[]): readonly Values[] {
  if (next.length !== old.length) return old;
  return old.map((container, index) =>
    textOf(container['name']) === textOf(next[index]!['name'])
      ? { ...container, resources: next[index]!['resources'] }
      : container,
  );
}
