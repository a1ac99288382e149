import { type FieldError, invalidField, requiredField } from '../../errors/field.error.js';
import type { KubeObject } from '../../resources/kube-object.js';

const ANNOTATION = 'api-approved.kubernetes.io';
const FIELD = `metadata.annotations[${ANNOTATION}]`;

/** Checks that a definition in a group of Kubernetes itself says who approved it. */
export function validateApproval(
  group: unknown,
  annotations: Readonly<Record<string, string>> | undefined,
  previous: KubeObject | undefined,
): FieldError[] {
  if (typeof group !== 'string' || !/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group)) return [];
  const value = annotations?.[ANNOTATION] ?? '';
  const state = approvalState(value);
  if (previous && approvalState(previous.metadata.annotations?.[ANNOTATION] ?? '') === state) return [];
  if (state === 'missing') {
    return [
      requiredField(
        FIELD,
        'protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
      ),
    ];
  }
  if (state !== 'invalid') return [];
  const rule = `protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111`;
  return [invalidField(FIELD, value, rule)];
}

function approvalState(value: string): 'missing' | 'bypassed' | 'approved' | 'invalid' {
  if (value === '') return 'missing';
  if (value.startsWith('unapproved')) return 'bypassed';
  return URL.canParse(value) && new URL(value).host !== '' ? 'approved' : 'invalid';
}
