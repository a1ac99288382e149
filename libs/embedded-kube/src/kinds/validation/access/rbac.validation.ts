import type { Draft, KubeObject } from '../../../resources/kube-object.js';
import { pathSegment, subdomain } from '../../../resources/name.rules.js';
import { countOf, type FieldReport, isSameContent, itemsOf, structOf, textOf, type Values } from '../field.report.js';
import { isReadable, validateLabelSelector } from '../selector.validation.js';

const RBAC = 'rbac.authorization.k8s.io';

export function validateRole(report: FieldReport, object: Draft): void {
  for (const [index, rule] of itemsOf(object['rules']).entries()) validateRule(report, `rules[${index}]`, rule, true);
}

export function validateClusterRole(report: FieldReport, object: Draft): void {
  for (const [index, rule] of itemsOf(object['rules']).entries()) validateRule(report, `rules[${index}]`, rule, false);
  const aggregation = structOf(object['aggregationRule']);
  if (!aggregation) return;
  const path = 'aggregationRule.clusterRoleSelectors';
  const selectors = itemsOf(aggregation['clusterRoleSelectors']);
  if (selectors.length === 0) {
    report.required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil');
  }
  for (const [index, selector] of selectors.entries()) {
    validateLabelSelector(report, `${path}[${index}]`, selector);
    if (!isReadable(selector)) report.invalid(`${path}[${index}]`, null, 'invalid label selector.');
  }
}

/** Checks the binding of a role; those of the cluster bind roles of the cluster only. */
export function validateBinding(
  report: FieldReport,
  object: Draft,
  previous: KubeObject | undefined,
  isNamespaced: boolean,
): void {
  const role = structOf(object['roleRef']) ?? {};
  report.oneOf('roleRef.apiGroup', role['apiGroup'], [RBAC]);
  report.oneOf('roleRef.kind', role['kind'], isNamespaced ? ['Role', 'ClusterRole'] : ['ClusterRole']);
  report.namedRequired('roleRef.name', role['name'], pathSegment);
  for (const [index, subject] of itemsOf(object['subjects']).entries()) {
    validateSubject(report, `subjects[${index}]`, subject, isNamespaced);
  }
  if (previous && !isSameContent(object['roleRef'], previous['roleRef'])) {
    const shown = { APIGroup: textOf(role['apiGroup']), Kind: textOf(role['kind']), Name: textOf(role['name']) };
    report.invalid('roleRef', shown, 'cannot change roleRef');
  }
}

function validateRule(report: FieldReport, path: string, rule: Values, isNamespaced: boolean): void {
  if (countOf(rule['verbs']) === 0) report.required(`${path}.verbs`, 'verbs must contain at least one value');
  const urls = rule['nonResourceURLs'];
  if (countOf(urls) > 0) {
    const at = `${path}.nonResourceURLs`;
    if (isNamespaced) report.invalid(at, urls, 'namespaced rules cannot apply to non-resource URLs');
    if (countOf(rule['apiGroups']) + countOf(rule['resources']) + countOf(rule['resourceNames']) > 0) {
      report.invalid(at, urls, 'rules cannot apply to both regular resources and non-resource URLs');
    }
    return;
  }
  if (countOf(rule['apiGroups']) === 0) {
    report.required(`${path}.apiGroups`, 'resource rules must supply at least one api group');
  }
  if (countOf(rule['resources']) === 0) {
    report.required(`${path}.resources`, 'resource rules must supply at least one resource');
  }
}

function validateSubject(report: FieldReport, path: string, subject: Values, isNamespaced: boolean): void {
  const { kind, name, apiGroup, namespace } = subject;
  report.requiredText(`${path}.name`, name);
  if (kind === 'ServiceAccount') {
    if (name) report.named(`${path}.name`, name, subdomain);
    if (apiGroup) report.oneOf(`${path}.apiGroup`, apiGroup, ['']);
    if (!isNamespaced) report.requiredText(`${path}.namespace`, namespace);
  } else if (kind === 'User' || kind === 'Group') report.oneOf(`${path}.apiGroup`, apiGroup, [RBAC]);
  else report.oneOf(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group']);
}
