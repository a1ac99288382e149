import { age, conditionStatus, count, formatSelector, textOr } from '../cell.format.js';
import { humanDuration } from '../human.duration.js';
import type { CellPrinter, Loose, TableCell } from '../table.types.js';
import { scalingTargets } from './scaling.targets.js';

/** The cells of kinds of access, admission, disruption and scaling. */
export const POLICY_CELLS: Readonly<Record<string, CellPrinter>> = {
  'rolebindings.rbac.authorization.k8s.io': bindingCells,
  'clusterrolebindings.rbac.authorization.k8s.io': bindingCells,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhookCells,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhookCells,
  'validatingadmissionpolicies.admissionregistration.k8s.io': (object, now) => policyCells(object, 'validations', now),
  'mutatingadmissionpolicies.admissionregistration.k8s.io': (object, now) => policyCells(object, 'mutations', now),
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': policyBindingCells,
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': policyBindingCells,
  'poddisruptionbudgets.policy': (object, now) => [
    object.metadata.name,
    String(object.spec?.minAvailable ?? 'N/A'),
    String(object.spec?.maxUnavailable ?? 'N/A'),
    count(object.status?.disruptionsAllowed),
    age(object, now),
  ],
  'horizontalpodautoscalers.autoscaling': (object, now) => [
    object.metadata.name,
    `${object.spec?.scaleTargetRef?.kind ?? ''}/${object.spec?.scaleTargetRef?.name ?? ''}`,
    scalingTargets(object),
    String(object.spec?.minReplicas ?? '<unset>'),
    count(object.spec?.maxReplicas),
    count(object.status?.currentReplicas),
    age(object, now),
  ],
  'certificatesigningrequests.certificates.k8s.io': (object, now) => [
    object.metadata.name,
    age(object, now),
    textOr(object.spec?.signerName, '<none>'),
    textOr(object.spec?.username, ''),
    object.spec?.expirationSeconds === undefined ? '<none>' : humanDuration(object.spec.expirationSeconds * 1000),
    signingStatus(object.status ?? {}),
  ],
  'flowschemas.flowcontrol.apiserver.k8s.io': (object, now) => [
    object.metadata.name,
    textOr(object.spec?.priorityLevelConfiguration?.name, ''),
    count(object.spec?.matchingPrecedence),
    object.spec?.distinguisherMethod?.type ?? '<none>',
    age(object, now),
    conditionStatus(object.status?.conditions, 'Dangling') ?? '?',
  ],
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': (object, now) => {
    const limits = object.spec?.limited;
    const queuing = limits?.limitResponse?.queuing;
    return [
      object.metadata.name,
      textOr(object.spec?.type, ''),
      limits ? count(limits.nominalConcurrencyShares) : '<none>',
      queuing?.queues ?? '<none>',
      queuing?.handSize ?? '<none>',
      queuing?.queueLengthLimit ?? '<none>',
      age(object, now),
    ];
  },
  'apiservices.apiregistration.k8s.io': (object, now) => {
    const { service } = object.spec ?? {};
    const available: Loose = (object.status?.conditions ?? []).find(({ type }: Loose) => type === 'Available') ?? {};
    const unavailable = `${textOr(available.status, 'Unknown')}${available.reason ? ` (${available.reason})` : ''}`;
    return [
      object.metadata.name,
      service ? `${service.namespace}/${service.name}` : 'Local',
      available.status === 'True' ? 'True' : unavailable,
      age(object, now),
    ];
  },
};

function bindingCells(object: Loose, now: number): TableCell[] {
  const subjects: Loose[] = object.subjects ?? [];
  const names = (kind: string): string => {
    const ofKind = subjects.filter((subject) => subject.kind === kind);
    return ofKind
      .map(({ namespace, name }) => (kind === 'ServiceAccount' ? `${textOr(namespace, '')}/${name}` : name))
      .join(', ');
  };
  return [
    object.metadata.name,
    `${object.roleRef?.kind ?? ''}/${object.roleRef?.name ?? ''}`,
    age(object, now),
    names('User'),
    names('Group'),
    names('ServiceAccount'),
  ];
}

function webhookCells(object: Loose, now: number): TableCell[] {
  return [object.metadata.name, count(object.webhooks?.length), age(object, now)];
}

function policyCells(object: Loose, list: string, now: number): TableCell[] {
  const { paramKind } = object.spec ?? {};
  return [
    object.metadata.name,
    count(object.spec?.[list]?.length),
    paramKind ? `${paramKind.apiVersion}/${paramKind.kind}` : '<unset>',
    age(object, now),
  ];
}

function policyBindingCells(object: Loose, now: number): TableCell[] {
  const { namespace, name, selector } = object.spec?.paramRef ?? {};
  const params = name ? `${namespace || '*'}/${name}` : selector ? formatSelector(selector) : '<unset>';
  return [object.metadata.name, textOr(object.spec?.policyName, ''), params, age(object, now)];
}

function signingStatus({ conditions, certificate }: Loose): string {
  const has = (type: string): boolean => conditionStatus(conditions, type) !== undefined;
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return decision + (has('Failed') ? ',Failed' : '') + (certificate ? ',Issued' : '');
}
