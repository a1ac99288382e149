import { type FieldError, invalidField, requiredField } from '../../errors/field.error.js';
import type { DefinitionCondition } from '../definition.types.js';
import type { KubeObject } from '../../resources/kube-object.js';

const ANNOTATION = 'api-approved.kubernetes.io';
const PROPOSAL = 'see https://github.com/kubernetes/enhancements/pull/1111';
const RULE = `protected groups must have approval annotation "${ANNOTATION}"`;
const MISSING = `${RULE}, ${PROPOSAL}`;
const INVALID = `${RULE} with either a URL or a reason starting with "unapproved", ${PROPOSAL}`;
const FIELD = `metadata.annotations[${ANNOTATION}]`;

/** Checks that a definition in a group of Kubernetes itself has the annotation of its approval. */
export function validateApproval(
  group: unknown,
  annotations: Readonly<Record<string, string>> | undefined,
  previous: KubeObject | undefined,
): FieldError[] {
  if (typeof group !== 'string' || !isProtected(group)) return [];
  const value = annotations?.[ANNOTATION] ?? '';
  const state = approvalState(value);
  if (previous && approvalState(previous.metadata.annotations?.[ANNOTATION] ?? '') === state) return [];
  if (state === 'missing') return [requiredField(FIELD, MISSING)];
  return state === 'invalid' ? [invalidField(FIELD, value, INVALID)] : [];
}

/** Makes the condition of a definition's approval; `undefined` outside of the groups of Kubernetes itself. */
export function approvalCondition(
  group: string,
  annotations: Readonly<Record<string, string>> | undefined,
): Omit<DefinitionCondition, 'lastTransitionTime'> | undefined {
  if (!isProtected(group)) return undefined;
  const value = annotations?.[ANNOTATION] ?? '';
  const type = 'KubernetesAPIApprovalPolicyConformant';
  switch (approvalState(value)) {
    case 'missing':
      return { type, status: 'False', reason: 'MissingAnnotation', message: MISSING };
    case 'invalid':
      return { type, status: 'False', reason: 'InvalidAnnotation', message: INVALID };
    case 'bypassed':
      return {
        type,
        status: 'False',
        reason: 'UnapprovedAnnotation',
        message: `not approved: ${JSON.stringify(value)}`,
      };
    case 'approved':
      return { type, status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${value}` };
  }
}

function isProtected(group: string): boolean {
  return /(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group);
}

function approvalState(value: string): 'missing' | 'bypassed' | 'approved' | 'invalid' {
  if (value === '') return 'missing';
  if (value.startsWith('unapproved')) return 'bypassed';
  return URL.canParse(value) && new URL(value).host !== '' ? 'approved' : 'invalid';
}
