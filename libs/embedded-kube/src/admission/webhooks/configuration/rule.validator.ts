import { type FieldError, invalidField, requiredField, unsupportedField } from '../../../errors/field.error.js';
import type { WebhookRuleSpec } from './webhook.types.js';

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];

/** Finds the violations in a rule of a webhook as it was written: any of its lists can be missing. */
export function validateRule(rule: Partial<WebhookRuleSpec>, path: string): FieldError[] {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  return [
    ...validateList(operations, `${path}.operations`, 'operations'),
    ...operations
      .map((operation, index) => ({ operation, field: `${path}.operations[${index}]` }))
      .filter(({ operation }) => !OPERATIONS.includes(operation))
      .map(({ operation, field }) => unsupportedField(field, operation ?? '', OPERATIONS)),
    ...validateList(apiGroups, `${path}.apiGroups`, 'API groups'),
    ...validateList(apiVersions, `${path}.apiVersions`, 'API versions'),
    ...missing(apiVersions, `${path}.apiVersions`),
    ...validateResources(resources, `${path}.resources`),
    ...(scope !== undefined && !SCOPES.includes(scope) ? [unsupportedField(`${path}.scope`, scope, SCOPES)] : []),
  ];
}

function validateList(values: readonly string[], path: string, what: string): FieldError[] {
  if (values.length === 0) return [requiredField(path)];
  if (values.length === 1 || !values.includes('*')) return [];
  return [invalidField(path, values, `if '*' is present, must not specify other ${what}`)];
}

function missing(values: readonly string[], path: string): FieldError[] {
  return values.flatMap((value, index) => (value === '' ? [requiredField(`${path}[${index}]`)] : []));
}

function validateResources(resources: readonly string[], path: string): FieldError[] {
  if (resources.length === 0) return [requiredField(path)];
  const errors: FieldError[] = [];
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  let named = false;
  for (const [index, text] of resources.entries()) {
    const field = `${path}[${index}]`;
    if (text === '') {
      errors.push(requiredField(field));
      continue;
    }
    const slash = text.indexOf('/');
    if (slash < 0) {
      named = text !== '*';
      continue;
    }
    const resource = text.slice(0, slash);
    const subresource = text.slice(slash + 1);
    for (const [covers, wildcard] of [
      [wholeResources.has(resource), `${resource}/*`],
      [wholeSubresources.has(subresource), `*/${subresource}`],
    ] as const) {
      if (covers) errors.push(invalidField(field, text, `if '${wildcard}' is present, must not specify ${text}`));
    }
    if (subresource === '*') wholeResources.add(resource);
    if (resource === '*') wholeSubresources.add(subresource);
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalidField(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (named && resources.includes('*')) {
    const detail = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalidField(path, resources, detail));
  }
  return errors;
}
