import { labelValue, qualifiedName } from '../../resources/name.rules.js';
import { countOf, type FieldReport, itemsOf, structOf, textOf, textsOf, type Values } from './field.report.js';

const LISTED = "must be specified when `operator` is 'In' or 'NotIn'";
const EMPTY = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";

/** Checks a selector of labels. */
export function validateLabelSelector(report: FieldReport, path: string, value: unknown): void {
  const selector = structOf(value);
  if (!selector) return;
  validateLabels(report, `${path}.matchLabels`, selector['matchLabels']);
  for (const [index, requirement] of itemsOf(selector['matchExpressions']).entries()) {
    validateRequirement(report, `${path}.matchExpressions[${index}]`, requirement, false);
  }
}

/** Checks labels, or a selector that is a map. */
export function validateLabels(report: FieldReport, path: string, value: unknown): void {
  for (const [key, text] of Object.entries(structOf(value) ?? {})) {
    report.named(path, key, qualifiedName);
    report.named(path, text, labelValue);
  }
}

/** Checks a selector of nodes. */
export function validateNodeSelector(report: FieldReport, path: string, selector: Values): void {
  const terms = itemsOf(selector['nodeSelectorTerms']);
  if (terms.length === 0) {
    report.required(`${path}.nodeSelectorTerms`, 'must have at least one node selector term');
  }
  for (const [index, term] of terms.entries()) validateNodeTerm(report, `${path}.nodeSelectorTerms[${index}]`, term);
}

/** Checks a term that selects nodes. @param isPreferred ignores values that cannot be labels, as the term is only a preference */
export function validateNodeTerm(report: FieldReport, path: string, term: Values, isPreferred = false): void {
  for (const [index, requirement] of itemsOf(term['matchExpressions']).entries()) {
    validateRequirement(report, `${path}.matchExpressions[${index}]`, requirement, true, isPreferred);
  }
  for (const [index, requirement] of itemsOf(term['matchFields']).entries()) {
    validateFieldRequirement(report, `${path}.matchFields[${index}]`, requirement);
  }
}

function validateRequirement(
  report: FieldReport,
  path: string,
  requirement: Values,
  ofNodes: boolean,
  isPreferred = false,
): void {
  const { operator, values } = requirement;
  const count = countOf(values);
  if (operator === 'In' || operator === 'NotIn') {
    if (count === 0) report.required(`${path}.values`, LISTED);
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (count > 0) report.forbidden(`${path}.values`, EMPTY);
  } else if (ofNodes && (operator === 'Gt' || operator === 'Lt')) {
    if (count !== 1) {
      report.required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else report.invalid(`${path}.operator`, operator ?? '', 'not a valid selector operator');
  report.named(`${path}.key`, requirement['key'], qualifiedName);
  if (isPreferred) return;
  for (const [index, text] of textsOf(values).entries()) report.named(`${path}.values[${index}]`, text, labelValue);
}

function validateFieldRequirement(report: FieldReport, path: string, requirement: Values): void {
  const { operator, values, key } = requirement;
  if (operator === 'In' || operator === 'NotIn') {
    if (countOf(values) !== 1) {
      report.required(
        `${path}.values`,
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
      );
    }
  } else report.invalid(`${path}.operator`, operator ?? '', 'not a valid selector operator');
  if (key !== 'metadata.name') report.invalid(`${path}.key`, key ?? '', 'not a valid field selector key');
}

/** Whether a selector of labels selects everything. */
export function isEmpty(selector: Values): boolean {
  return countOf(selector['matchLabels']) + countOf(selector['matchExpressions']) === 0;
}

/** Whether a selector of labels can be evaluated, which is less than being valid. */
export function isReadable(selector: Values): boolean {
  for (const [key, value] of Object.entries(structOf(selector['matchLabels']) ?? {})) {
    if (qualifiedName(key).length > 0 || labelValue(textOf(value)).length > 0) return false;
  }
  return itemsOf(selector['matchExpressions']).every(({ operator, values, key }) => {
    if (qualifiedName(textOf(key)).length > 0) return false;
    if (operator === 'In' || operator === 'NotIn') return countOf(values) > 0;
    return (operator === 'Exists' || operator === 'DoesNotExist') && countOf(values) === 0;
  });
}

/** Whether a selector that can be evaluated matches labels. */
export function selects(selector: Values, labels: Values): boolean {
  const matches = Object.entries(structOf(selector['matchLabels']) ?? {}).every(
    ([key, value]) => labels[key] === value,
  );
  return (
    matches &&
    itemsOf(selector['matchExpressions']).every(({ key, operator, values }) => {
      const value = labels[textOf(key)];
      if (operator === 'Exists') return value !== undefined;
      if (operator === 'DoesNotExist') return value === undefined;
      const isListed = value !== undefined && Array.isArray(values) && values.includes(value);
      return operator === 'In' ? isListed : !isListed;
    })
  );
}
