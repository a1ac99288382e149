import { isMapping, mapping } from '../common/json.values.js';
import { type FieldError, invalidField, requiredField, unsupportedField } from '../errors/field.error.js';
import { jsonEqual } from '../common/json.values.js';
import type { Draft, KubeObject } from '../resources/kube-object.js';
import { pathSegment, qualifiedName, subdomain } from '../resources/name.rules.js';
import type { BuiltinTraits } from './builtin.strategy.js';

const GROUP = 'rbac.authorization.k8s.io';
const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group'];

type Fields = Readonly<Record<string, unknown>>;

export const ROLE_TRAITS: BuiltinTraits = { nameRule: pathSegment, validate: (role) => validateRules(role, true) };

export const CLUSTER_ROLE_TRAITS: BuiltinTraits = {
  nameRule: pathSegment,
  validate: (role) => [...validateRules(role, false), ...validateAggregation(role)],
};

export const ROLE_BINDING_TRAITS: BuiltinTraits = bindingTraits(true);
export const CLUSTER_ROLE_BINDING_TRAITS: BuiltinTraits = bindingTraits(false);

function validateRules({ rules }: Draft, namespaced: boolean): FieldError[] {
  return mappings(rules).flatMap((rule, index) => validateRule(rule, `rules[${index}]`, namespaced));
}

function validateRule(rule: Fields, path: string, namespaced: boolean): FieldError[] {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  const errors: FieldError[] = [];
  if (isEmpty(verbs)) errors.push(requiredField(`${path}.verbs`, 'verbs must contain at least one value'));
  if (!isEmpty(nonResourceURLs)) {
    const invalid = (detail: string): FieldError => invalidField(`${path}.nonResourceURLs`, nonResourceURLs, detail);
    if (namespaced) errors.push(invalid('namespaced rules cannot apply to non-resource URLs'));
    if (![apiGroups, resources, resourceNames].every(isEmpty)) {
      errors.push(invalid('rules cannot apply to both regular resources and non-resource URLs'));
    }
    return errors;
  }
  if (isEmpty(apiGroups)) {
    errors.push(requiredField(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if (isEmpty(resources)) {
    errors.push(requiredField(`${path}.resources`, 'resource rules must supply at least one resource'));
  }
  return errors;
}

function validateAggregation({ aggregationRule }: Draft): FieldError[] {
  if (!isMapping(aggregationRule)) return [];
  const field = 'aggregationRule.clusterRoleSelectors';
  const selectors = mappings(aggregationRule['clusterRoleSelectors']);
  if (selectors.length === 0) {
    return [requiredField(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  }
  return selectors.flatMap(({ matchLabels }, index) => {
    const path = `${field}[${index}]`;
    const errors = Object.keys(mapping(matchLabels)).flatMap((key) =>
      qualifiedName(key).map((problem) => invalidField(`${path}.matchLabels`, key, problem)),
    );
    return errors.length > 0 ? [...errors, invalidField(path, null, 'invalid label selector.')] : [];
  });
}

function bindingTraits(namespaced: boolean): BuiltinTraits {
  return {
    nameRule: pathSegment,
    defaults: defaultBinding,
    validate: (binding, previous) => validateBinding(binding, previous, namespaced),
  };
}

function defaultBinding(draft: Draft): void {
  const { roleRef, subjects } = draft;
  if (isMapping(roleRef) && !roleRef['apiGroup']) draft['roleRef'] = { ...roleRef, apiGroup: GROUP };
  if (!Array.isArray(subjects)) return;
  draft['subjects'] = mappings(subjects).map((subject) => {
    const isOfGroup = subject['kind'] === 'User' || subject['kind'] === 'Group';
    return isOfGroup && !subject['apiGroup'] ? { ...subject, apiGroup: GROUP } : subject;
  });
}

function validateBinding(binding: Draft, previous: KubeObject | undefined, namespaced: boolean): FieldError[] {
  const { apiGroup = '', kind = '', name = '' } = mapping(binding['roleRef']);
  const errors: FieldError[] = [];
  if (apiGroup !== GROUP) errors.push(unsupportedField('roleRef.apiGroup', apiGroup, [GROUP]));
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  if (!kinds.includes(kind as string)) errors.push(unsupportedField('roleRef.kind', kind, kinds));
  if (!name) errors.push(requiredField('roleRef.name'));
  else errors.push(...pathSegment(String(name)).map((problem) => invalidField('roleRef.name', name, problem)));
  for (const [index, subject] of mappings(binding['subjects']).entries()) {
    errors.push(...validateSubject(subject, `subjects[${index}]`, namespaced));
  }
  if (previous && !jsonEqual(binding['roleRef'], previous['roleRef'])) {
    errors.push(invalidField('roleRef', { APIGroup: apiGroup, Kind: kind, Name: name }, 'cannot change roleRef'));
  }
  return errors;
}

function validateSubject(subject: Fields, path: string, namespaced: boolean): FieldError[] {
  const { kind = '', name = '', apiGroup = '', namespace = '' } = subject;
  const errors: FieldError[] = [];
  if (!name) errors.push(requiredField(`${path}.name`));
  if (!SUBJECT_KINDS.includes(kind as string)) {
    return [...errors, unsupportedField(`${path}.kind`, kind, SUBJECT_KINDS)];
  }
  const expected = kind === 'ServiceAccount' ? '' : GROUP;
  if (kind === 'ServiceAccount' && name) {
    errors.push(...subdomain(String(name)).map((problem) => invalidField(`${path}.name`, name, problem)));
  }
  if (apiGroup !== expected) errors.push(unsupportedField(`${path}.apiGroup`, apiGroup, [expected]));
  if (kind === 'ServiceAccount' && !namespaced && !namespace) errors.push(requiredField(`${path}.namespace`));
  return errors;
}

function mappings(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(mapping) : [];
}

function isEmpty(value: unknown): boolean {
  return !Array.isArray(value) || value.length === 0;
}
