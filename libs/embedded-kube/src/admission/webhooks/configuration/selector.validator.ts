import { type FieldError, forbiddenField, invalidField, requiredField } from '../../../errors/field.error.js';
import { labelValue, qualifiedName } from '../../../resources/name.rules.js';
import type { LabelSelectorObject } from '../../../selectors/label.selector.js';

const WITH_VALUES = ['In', 'NotIn'];
const WITHOUT_VALUES = ['Exists', 'DoesNotExist'];

/** Finds the violations in a label selector as objects carry it. */
export function validateSelector({ matchLabels, matchExpressions }: LabelSelectorObject, path: string): FieldError[] {
  const labelsPath = `${path}.matchLabels`;
  return [
    ...Object.entries(matchLabels ?? {}).flatMap(([key, value]) => [
      ...validateKey(key, labelsPath),
      ...labelValue(value).map((problem) => invalidField(labelsPath, value, problem)),
    ]),
    ...(matchExpressions ?? []).flatMap((each, index) =>
      validateRequirement(each, `${path}.matchExpressions[${index}]`),
    ),
  ];
}

function validateRequirement(
  { key, operator, values = [] }: NonNullable<LabelSelectorObject['matchExpressions']>[number],
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (WITH_VALUES.includes(operator)) {
    const detail = "must be specified when `operator` is 'In' or 'NotIn'";
    if (values.length === 0) errors.push(requiredField(`${path}.values`, detail));
  } else if (WITHOUT_VALUES.includes(operator)) {
    const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    if (values.length > 0) errors.push(forbiddenField(`${path}.values`, detail));
  } else errors.push(invalidField(`${path}.operator`, operator ?? '', 'not a valid selector operator'));
  return [
    ...errors,
    ...validateKey(key ?? '', `${path}.key`),
    ...values.flatMap((value, index) =>
      labelValue(value).map((problem) => invalidField(`${path}.values[${index}]`, value, problem)),
    ),
  ];
}

function validateKey(key: string, path: string): FieldError[] {
  return qualifiedName(key).map((problem) => invalidField(path, key, problem));
}
