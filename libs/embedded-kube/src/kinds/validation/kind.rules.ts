import { jsonEqual } from '../../common/json.values.js';
import type { FieldError } from '../../errors/field.error.js';
import type { Draft, KubeObject } from '../../resources/kube-object.js';
import { FieldReport, structOf, type Values } from './field.report.js';

type ObjectRule = (report: FieldReport, object: Draft, previous: KubeObject | undefined) => void;
type SpecRule = (report: FieldReport, spec: Values, old: Values | undefined) => void;

type Validation = (object: Draft, previous: KubeObject | undefined, subresource?: string) => FieldError[];

/** Returns the validation of a kind by a rule for whole objects. */
export function ruledBy(rule: ObjectRule): (object: Draft, previous: KubeObject | undefined) => FieldError[] {
  return (object, previous) => {
    const report = new FieldReport();
    rule(report, object, previous);
    return report.errors;
  };
}

/** Returns the validation of a kind whose status is checked by another rule than the rest. */
export function ruledByParts(spec: Validation, status: ObjectRule): Validation {
  const validateStatus = ruledBy(status);
  return (object, previous, subresource) =>
    subresource === 'status' ? validateStatus(object, previous) : spec(object, previous, subresource);
}

/** Returns the validation of a kind by a rule for its spec. A spec that does not change was valid before, and is not looked at again. */
export function ruledBySpec(rule: SpecRule): (object: Draft, previous: KubeObject | undefined) => FieldError[] {
  return ruledBy((report, object, previous) => {
    const [spec, old] = [object['spec'], previous?.['spec']];
    if (previous && jsonEqual(spec, old)) return;
    rule(report, structOf(spec) ?? {}, previous && (structOf(old) ?? {}));
  });
}
