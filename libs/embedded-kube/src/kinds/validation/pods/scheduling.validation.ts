import { label, labelValue, qualifiedName } from '../../../resources/name.rules.js';
import { unsupportedField } from '../../../errors/field.error.js';
import { type FieldReport, itemsOf, structOf, textOf, textsOf, type Values } from '../field.report.js';
import { validateLabelSelector, validateNodeSelector, validateNodeTerm } from '../selector.validation.js';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const COMPARISONS = ['Equal', 'Exists', 'Lt', 'Gt'];
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Checks the nodes and pods near which a pod runs, or far from which. */
export function validateAffinity(report: FieldReport, path: string, value: unknown): void {
  const affinity = structOf(value);
  const nodes = structOf(affinity?.['nodeAffinity']);
  const required = structOf(nodes?.[REQUIRED]);
  if (required) validateNodeSelector(report, `${path}.nodeAffinity.${REQUIRED}`, required);
  for (const [index, { weight, preference }] of itemsOf(nodes?.[PREFERRED]).entries()) {
    const at = `${path}.nodeAffinity.${PREFERRED}[${index}]`;
    validateWeight(report, at, weight);
    validateNodeTerm(report, `${at}.preference`, structOf(preference) ?? {}, true);
  }
  for (const field of ['podAffinity', 'podAntiAffinity']) {
    const pods = structOf(affinity?.[field]);
    for (const [index, term] of itemsOf(pods?.[REQUIRED]).entries()) {
      validateTerm(report, `${path}.${field}.${REQUIRED}[${index}]`, term);
    }
    for (const [index, { weight, podAffinityTerm }] of itemsOf(pods?.[PREFERRED]).entries()) {
      const at = `${path}.${field}.${PREFERRED}[${index}]`;
      validateWeight(report, at, weight);
      validateTerm(report, `${at}.podAffinityTerm`, structOf(podAffinityTerm) ?? {});
    }
  }
}

function validateWeight(report: FieldReport, path: string, weight: unknown): void {
  const number = Number(weight ?? 0);
  if (number <= 0 || number > 100) report.invalid(`${path}.weight`, weight ?? 0, 'must be in the range 1-100');
}

function validateTerm(report: FieldReport, path: string, term: Values): void {
  for (const field of ['labelSelector', 'namespaceSelector'])
    validateLabelSelector(report, `${path}.${field}`, term[field]);
  for (const name of textsOf(term['namespaces'])) report.named(`${path}.namespace`, name, label);
  validateLabelKeys(report, path, term);
  report.requiredText(`${path}.topologyKey`, term['topologyKey'], 'can not be empty');
  report.named(`${path}.topologyKey`, term['topologyKey'], qualifiedName);
}

function validateLabelKeys(report: FieldReport, path: string, term: Values): void {
  const selector = structOf(term['labelSelector']);
  for (const field of ['matchLabelKeys', 'mismatchLabelKeys']) {
    const keys = textsOf(term[field]);
    if (keys.length === 0) continue;
    if (!selector) {
      report.forbidden(`${path}.${field}`, 'must not be specified when labelSelector is not set');
      continue;
    }
    for (const [index, key] of keys.entries()) report.named(`${path}.${field}[${index}]`, key, qualifiedName);
  }
  const mismatching = textsOf(term['mismatchLabelKeys']);
  for (const [index, key] of textsOf(term['matchLabelKeys']).entries()) {
    if (!mismatching.includes(key)) continue;
    report.invalid(`${path}.matchLabelKeys[${index}]`, key, 'exists in both matchLabelKeys and mismatchLabelKeys');
  }
}

/** Checks the taints of nodes on which a pod runs nonetheless. */
export function validateTolerations(report: FieldReport, path: string, list: unknown): void {
  for (const [index, { key, operator, value, effect, tolerationSeconds }] of itemsOf(list).entries()) {
    const at = `${path}[${index}]`;
    if (key) report.named(`${at}.key`, key, qualifiedName);
    if (!key && operator !== 'Exists') {
      const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      report.invalid(`${at}.operator`, operator ?? '', detail);
    }
    if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
      report.invalid(`${at}.effect`, effect ?? '', "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    if (!operator || operator === 'Equal') {
      const problems = labelValue(textOf(value));
      if (problems.length > 0) report.invalid(`${at}.operator`, value, problems.join(';'));
    } else if (operator === 'Exists') {
      if (value) report.invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'");
    } else {
      const isComparison = operator === 'Lt' || operator === 'Gt';
      // Comparisons are named to who asks for one, though they cannot be had.
      if (isComparison) report.errors.push(unsupportedField(`${at}.operator`, operator, COMPARISONS));
      else report.oneOf(`${at}.operator`, operator, ['Equal', 'Exists']);
    }
    if (effect) report.oneOf(`${at}.effect`, effect, EFFECTS);
  }
}

/** Checks the rules by which pods are spread over nodes. */
export function validateSpreading(report: FieldReport, path: string, list: unknown): void {
  const constraints = itemsOf(list);
  for (const [index, constraint] of constraints.entries()) {
    const at = `${path}[${index}]`;
    const { topologyKey, whenUnsatisfiable, minDomains } = constraint;
    report.positive(`${at}.maxSkew`, constraint['maxSkew']);
    report.requiredText(`${at}.topologyKey`, topologyKey, 'can not be empty');
    report.oneOf(`${at}.whenUnsatisfiable`, whenUnsatisfiable, ['DoNotSchedule', 'ScheduleAnyway']);
    const isRepeated = constraints.slice(index + 1).some((other) => {
      return other['topologyKey'] === topologyKey && other['whenUnsatisfiable'] === whenUnsatisfiable;
    });
    if (isRepeated) {
      report.duplicate(
        `${at}.{topologyKey, whenUnsatisfiable}`,
        `{${textOf(topologyKey)}, ${textOf(whenUnsatisfiable)}}`,
      );
    }
    if (minDomains !== undefined) {
      report.positive(`${at}.minDomains`, minDomains);
      if (whenUnsatisfiable !== 'DoNotSchedule') {
        const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${textOf(whenUnsatisfiable)}`;
        report.invalid(`${at}.minDomains`, minDomains, detail);
      }
    }
    for (const field of ['nodeAffinityPolicy', 'nodeTaintsPolicy']) {
      report.oneOfOptional(`${at}.${field}`, constraint[field], ['Honor', 'Ignore']);
    }
    validateLabelKeys(report, at, constraint);
    validateLabelSelector(report, `${at}.labelSelector`, constraint['labelSelector']);
  }
}
