import {
  duplicateField,
  type FieldError,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../../errors/field.error.js';
import type { KubeObject, Draft } from '../../../resources/kube-object.js';
import { label1035, subdomain } from '../../../resources/name.rules.js';
import { jsonEqual } from '../../../common/json.values.js';
import type { WebhookConfiguration, WebhookSpec } from './webhook.types.js';
import { validateClientConfig } from './client-config.validator.js';
import { validateConditions } from './condition.validator.js';
import { validateRule } from './rule.validator.js';
import { validateSelector } from './selector.validator.js';

const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const MAX_TIMEOUT = 30;

/** Finds the violations in a webhook configuration. */
export function validateConfiguration(object: Draft, previous: KubeObject | undefined): FieldError[] {
  const webhooks = webhooksOf(object);
  const known = webhooksOf(previous);
  const keepsConditions =
    previous !== undefined &&
    known.length === webhooks.length &&
    webhooks.every(({ matchConditions }, index) => jsonEqual(matchConditions, known[index]!.matchConditions));
  const names = new Set<string>();
  return webhooks.flatMap((webhook, index) => {
    const path = `webhooks[${index}]`;
    const errors = [
      ...validateWebhook(webhook, path),
      ...(keepsConditions ? [] : validateConditions(webhook.matchConditions ?? [], `${path}.matchConditions`)),
      ...validateVersions(webhook.admissionReviewVersions ?? [], `${path}.admissionReviewVersions`),
    ];
    if (webhook.name && names.has(webhook.name)) errors.push(duplicateField(`${path}.name`, webhook.name));
    names.add(webhook.name);
    return errors;
  });
}

function webhooksOf(object: object | undefined): readonly WebhookSpec[] {
  return (object as WebhookConfiguration | undefined)?.webhooks ?? [];
}

function validateWebhook(webhook: WebhookSpec, path: string): FieldError[] {
  const { sideEffects, timeoutSeconds = 1, namespaceSelector = {}, objectSelector = {} } = webhook;
  const errors = [
    ...validateName(webhook.name, `${path}.name`),
    ...(webhook.rules ?? []).flatMap((rule, index) => validateRule(rule, `${path}.rules[${index}]`)),
    ...oneOf(webhook.failurePolicy, ['Fail', 'Ignore'], `${path}.failurePolicy`),
    ...oneOf(webhook.matchPolicy, ['Equivalent', 'Exact'], `${path}.matchPolicy`),
  ];
  if (sideEffects === undefined) {
    errors.push(requiredField(`${path}.sideEffects`, `must specify one of ${SIDE_EFFECTS.join(', ')}`));
  } else errors.push(...oneOf(sideEffects, SIDE_EFFECTS, `${path}.sideEffects`));
  if (timeoutSeconds > MAX_TIMEOUT || timeoutSeconds < 1) {
    const detail = `the timeout value must be between 1 and ${MAX_TIMEOUT} seconds`;
    errors.push(invalidField(`${path}.timeoutSeconds`, timeoutSeconds, detail));
  }
  return [
    ...errors,
    ...validateSelector(namespaceSelector, `${path}.namespaceSelector`),
    ...validateSelector(objectSelector, `${path}.objectSelector`),
    ...oneOf(webhook.reinvocationPolicy, ['IfNeeded', 'Never'], `${path}.reinvocationPolicy`),
    ...validateClientConfig(webhook.clientConfig ?? {}, `${path}.clientConfig`),
  ];
}

function validateName(name: string, path: string): FieldError[] {
  if (!name) return [requiredField(path)];
  const problems = subdomain(name);
  if (problems.length > 0) return [invalidField(path, name, problems.join(','))];
  if (name.split('.').length >= 3) return [];
  return [invalidField(path, name, 'should be a domain with at least three segments separated by dots')];
}

function validateVersions(versions: readonly string[], path: string): FieldError[] {
  const choice = REVIEW_VERSIONS.join(', ');
  if (versions.length === 0) return [requiredField(path, `must specify one of ${choice}`)];
  const errors = versions.flatMap((version, index) => {
    if (versions.indexOf(version) < index) return [invalidField(`${path}[${index}]`, version, 'duplicate version')];
    return label1035(version).map((problem) => invalidField(`${path}[${index}]`, version, problem));
  });
  if (versions.some((version) => REVIEW_VERSIONS.includes(version))) return errors;
  return [...errors, invalidField(path, versions, `must include at least one of ${choice}`)];
}

function oneOf(value: string | undefined, supported: readonly string[], path: string): FieldError[] {
  return value === undefined || supported.includes(value) ? [] : [unsupportedField(path, value, supported)];
}
