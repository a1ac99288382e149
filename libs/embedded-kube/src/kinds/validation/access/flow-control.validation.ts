// Priority levels of requests, and the schemas that sort requests into them.
import type { Draft } from '../../../resources/kube-object.js';
import { label, subdomain } from '../../../resources/name.rules.js';
import { unsupportedField } from '../../../errors/field.error.js';
import { validateConditionTypes } from '../condition.validation.js';
import { countOf, type FieldReport, itemsOf, structOf, textOf, textsOf, type Values } from '../field.report.js';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const DISTINGUISHERS = ['ByNamespace', 'ByUser'];
const LOWEST_PRECEDENCE = 10_000;
const MOST_QUEUES = 10_000_000;
const MOST_ENTROPY = 60;
const PRESERVE_ZERO = 'flowcontrol.k8s.io/preserve-zero-concurrency-shares';

/** The kinds of subjects, with the fields that identify them. */
const SUBJECTS = [
  ['Group', 'group'],
  ['ServiceAccount', 'serviceAccount'],
  ['User', 'user'],
] as const;

export function validateFlowSchema(report: FieldReport, object: Draft): void {
  const spec = structOf(object['spec']) ?? {};
  const precedence = Number(spec['matchingPrecedence'] ?? 0);
  const at = 'spec.matchingPrecedence';
  if (precedence <= 0) report.invalid(at, precedence, 'must be a positive value');
  if (precedence > LOWEST_PRECEDENCE) {
    report.invalid(at, precedence, `must not be greater than ${LOWEST_PRECEDENCE}`);
  }
  if (precedence === 1 && object.metadata.name !== 'exempt') {
    report.invalid(at, precedence, "only the schema named 'exempt' may have matchingPrecedence 1");
  }
  const method = structOf(spec['distinguisherMethod']);
  if (method && !DISTINGUISHERS.includes(textOf(method['type']))) {
    // The real server shows the whole method.
    report.errors.push(unsupportedField('spec.distinguisherMethod.type', method, DISTINGUISHERS));
  }
  const name = textOf(structOf(spec['priorityLevelConfiguration'])?.['name']);
  if (name) report.named('spec.priorityLevelConfiguration.name', name, subdomain);
  else report.required('spec.priorityLevelConfiguration.name', 'must reference a priority level');
  for (const [index, rule] of itemsOf(spec['rules']).entries()) validateRule(report, `spec.rules[${index}]`, rule);
}

function validateRule(report: FieldReport, path: string, rule: Values): void {
  const subjects = itemsOf(rule['subjects']);
  if (subjects.length === 0) report.required(`${path}.subjects`, 'subjects must contain at least one value');
  for (const [index, subject] of subjects.entries()) validateSubject(report, `${path}.subjects[${index}]`, subject);
  if (countOf(rule['resourceRules']) + countOf(rule['nonResourceRules']) === 0) {
    report.required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty');
  }
  for (const [index, each] of itemsOf(rule['resourceRules']).entries()) {
    validateResourceRule(report, `${path}.resourceRules[${index}]`, each);
  }
  for (const [index, each] of itemsOf(rule['nonResourceRules']).entries()) {
    const at = `${path}.nonResourceRules[${index}]`;
    validateVerbs(report, `${at}.verbs`, textsOf(each['verbs']));
    validateUrls(report, `${at}.nonResourceURLs`, textsOf(each['nonResourceURLs']));
  }
}

function validateSubject(report: FieldReport, path: string, subject: Values): void {
  const kind = textOf(subject['kind']);
  const own = SUBJECTS.find(([each]) => each === kind);
  if (!own) {
    const kinds = SUBJECTS.map(([each]) => each);
    return report.oneOf(`${path}.kind`, kind, kinds);
  }
  const [, field] = own;
  const named = structOf(subject[field]);
  if (!named) report.required(`${path}.${field}`, `${field} is required when subject kind is '${kind}'`);
  else if (kind === 'ServiceAccount') validateAccount(report, `${path}.${field}`, named);
  else report.requiredText(`${path}.${field}.name`, named['name']);
  for (const other of ['serviceAccount', 'user', 'group']) {
    const [otherKind] = SUBJECTS.find(([, each]) => each === other)!;
    if (other === field || subject[other] === undefined) continue;
    report.forbidden(`${path}.${other}`, `${other} is forbidden when subject kind is not '${otherKind}'`);
  }
}

function validateAccount(report: FieldReport, path: string, { name, namespace }: Values): void {
  if (report.requiredText(`${path}.name`, name) && name !== '*') report.named(`${path}.name`, name, subdomain);
  if (namespace) report.named(`${path}.namespace`, namespace, label);
  else report.required(`${path}.namespace`, 'must specify namespace for service account');
}

function validateResourceRule(report: FieldReport, path: string, rule: Values): void {
  validateVerbs(report, `${path}.verbs`, textsOf(rule['verbs']));
  for (const [field, one, many] of [
    ['apiGroups', 'api group', 'api groups'],
    ['resources', 'resource', 'resources'],
  ] as const) {
    const values = textsOf(rule[field]);
    if (values.length === 0) report.required(`${path}.${field}`, `resource rules must supply at least one ${one}`);
    else rejectMixedWildcard(report, `${path}.${field}`, values, many);
  }
  const namespaces = textsOf(rule['namespaces']);
  const at = `${path}.namespaces`;
  if (namespaces.length === 0 && rule['clusterScope'] !== true) {
    report.required(at, 'resource rules that are not cluster scoped must supply at least one namespace');
  } else if (namespaces.includes('*')) rejectMixedWildcard(report, at, namespaces, 'namespaces');
  else {
    for (const [index, namespace] of namespaces.entries()) {
      for (const problem of label(namespace)) {
        const rule = "each member of this list must be '*' or a DNS-1123 label; ";
        report.invalid(`${at}[${index}]`, namespace, rule + problem);
      }
    }
  }
}

function validateVerbs(report: FieldReport, path: string, verbs: readonly string[]): void {
  if (verbs.length === 0) report.required(path, 'verbs must contain at least one value');
  else if (verbs.includes('*')) rejectMixedWildcard(report, path, verbs, 'verbs');
  else if (!verbs.every((verb) => VERBS.includes(verb))) report.errors.push(unsupportedField(path, verbs, VERBS));
}

function validateUrls(report: FieldReport, path: string, urls: readonly string[]): void {
  if (urls.length === 0) return report.required(path, 'nonResourceURLs must contain at least one value');
  if (urls.includes('*')) return rejectMixedWildcard(report, path, urls, 'non-resource URLs');
  for (const [index, url] of urls.entries()) {
    const problem = describeUrlError(url);
    if (problem !== undefined) report.invalid(`${path}[${index}]`, url, problem);
  }
}

function describeUrlError(url: string): string | undefined {
  if (!url) return 'must not be empty';
  if (url === '/') return undefined;
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const wildcards = url.split('*').length - 1;
  return wildcards > 1 || (wildcards === 1 && !url.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined;
}

function rejectMixedWildcard(report: FieldReport, path: string, values: readonly string[], what: string): void {
  if (values.length > 1 && values.includes('*')) {
    report.invalid(path, values, `if '*' is present, must not specify other ${what}`);
  }
}

/** Checks the conditions of both kinds. */
export function validateFlowControlStatus(report: FieldReport, { status }: Draft): void {
  validateConditionTypes(report, 'status.conditions', itemsOf(structOf(status)?.['conditions']));
}

export function validatePriorityLevel(report: FieldReport, object: Draft): void {
  if (object.metadata.annotations?.[PRESERVE_ZERO] !== undefined) {
    report.forbidden('metadata.annotations', `annotation '${PRESERVE_ZERO}' is forbidden`);
  }
  const spec = structOf(object['spec']) ?? {};
  const type = textOf(spec['type']);
  const [limited, exempt] = [structOf(spec['limited']), structOf(spec['exempt'])];
  if ((object.metadata.name === 'exempt') !== (type === 'Exempt')) {
    report.invalid('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'");
  }
  if (type === 'Exempt') {
    if (limited) report.forbidden('spec.limited', 'must be nil if the type is not Limited');
    if (exempt) validateShares(report, 'spec.exempt', exempt);
  } else if (type === 'Limited') {
    if (exempt) report.forbidden('spec.exempt', 'must be nil if the type is Limited');
    if (limited) validateLimited(report, 'spec.limited', limited);
    else report.required('spec.limited', 'must not be empty when type is Limited');
  } else report.oneOfRequired('spec.type', type, ['Exempt', 'Limited']);
}

function validateShares(report: FieldReport, path: string, level: Values): void {
  const shares = level['nominalConcurrencyShares'];
  if (Number(shares) < 0) {
    report.invalid(`${path}.nominalConcurrencyShares`, shares, 'must be a non-negative integer');
  }
  if (level['lendablePercent'] !== undefined) {
    report.inRange(`${path}.lendablePercent`, level['lendablePercent'], 0, 100);
  }
}

function validateLimited(report: FieldReport, path: string, limited: Values): void {
  const { nominalConcurrencyShares, lendablePercent, borrowingLimitPercent } = limited;
  validateShares(report, path, { nominalConcurrencyShares });
  validateResponse(report, `${path}.limitResponse`, structOf(limited['limitResponse']) ?? {});
  validateShares(report, path, { lendablePercent });
  if (Number(borrowingLimitPercent) < 0) {
    const rule = 'if specified, must be a non-negative integer';
    report.invalid(`${path}.borrowingLimitPercent`, borrowingLimitPercent, rule);
  }
}

function validateResponse(report: FieldReport, path: string, response: Values): void {
  const queuing = structOf(response['queuing']);
  const at = `${path}.queuing`;
  if (response['type'] === 'Reject') {
    if (queuing) report.forbidden(at, 'must be nil if limited.limitResponse.type is not Limited');
  } else if (response['type'] === 'Queue') {
    if (queuing) validateQueuing(report, at, queuing);
    else report.required(at, 'must not be empty if limited.limitResponse.type is Limited');
  } else report.oneOfRequired(`${path}.type`, response['type'], ['Queue', 'Reject']);
}

function validateQueuing(report: FieldReport, path: string, queuing: Values): void {
  const [queues, handSize, length] = ['queues', 'handSize', 'queueLengthLimit'].map((field) =>
    Number(queuing[field] ?? 0),
  ) as [number, number, number];
  if (length <= 0) report.invalid(`${path}.queueLengthLimit`, length, 'must be positive');
  if (queues <= 0) report.invalid(`${path}.queues`, queues, 'must be positive');
  else if (queues > MOST_QUEUES) report.invalid(`${path}.queues`, queues, `must not be greater than ${MOST_QUEUES}`);
  const at = `${path}.handSize`;
  if (handSize <= 0) report.invalid(at, handSize, 'must be positive');
  else if (handSize > queues) report.invalid(at, handSize, `should not be greater than queues (${queues})`);
  else if (Math.ceil(Math.log2(queues) * handSize) > MOST_ENTROPY) {
    const rule = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${MOST_ENTROPY}`;
    report.invalid(at, handSize, rule);
  }
}
