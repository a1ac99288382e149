import { isMapping } from '../../../common/json.values.js';
import type { Draft, KubeObject } from '../../../resources/kube-object.js';
import type { FieldReport } from '../field.report.js';
import { validateUnchanged } from './workload.validation.js';

/** Revisions of a workload: what they hold never changes. */
export function validateRevision(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  const { data, revision } = object;
  report.nonNegative('revision', revision);
  if (previous) return validateUnchanged(report, 'data', data, previous['data']);
  if (data === undefined || data === null) report.required('data', 'data is mandatory');
  else if (!isMapping(data)) report.required('data', 'data must be a valid JSON object');
}
