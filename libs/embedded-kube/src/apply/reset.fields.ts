import { FieldSet } from './field.set.js';
import { memberElement } from './path.element.js';

/** The fields that writes through one path never change, so that such a write owns none of them. */
const STATUS = fields('status');
const SPEC = fields('spec');
const ALL_BUT_STATUS = fields('metadata', 'spec');

/** The resources whose status subresource takes no metadata either; in all others, it does. */
const STATUS_ALONE: ReadonlySet<string> = new Set([
  'apiservices.apiregistration.k8s.io',
  'devicetaintrules.resource.k8s.io',
  'flowschemas.flowcontrol.apiserver.k8s.io',
  'podgroups.scheduling.k8s.io',
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
  'resourceclaims.resource.k8s.io',
  'resourcepoolstatusrequests.resource.k8s.io',
  'servicecidrs.networking.k8s.io',
  'storageversionmigrations.storagemigration.k8s.io',
  'storageversions.internal.apiserver.k8s.io',
  'validatingadmissionpolicies.admissionregistration.k8s.io',
  'volumeattachments.storage.k8s.io',
]);

/** The paths that differ from the rules, by resource and subresource. */
const PARTICULAR: Readonly<Record<string, FieldSet>> = {
  'certificatesigningrequests.certificates.k8s.io': fields('spec', 'status'),
  'certificatesigningrequests.certificates.k8s.io/status': fields('spec', 'status.conditions'),
  'certificatesigningrequests.certificates.k8s.io/approval': fields('spec', 'status.certificate'),
  'deployments.apps/status': fields('spec', 'metadata.labels'),
  'namespaces/finalize': STATUS,
  'podcertificaterequests.certificates.k8s.io': FieldSet.EMPTY,
  'pods/status': fields('spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'),
};

/** Whether a write of the status of a built-in kind leaves the metadata as they are, too. @param resource `deployments.apps` */
export function isStatusAlone(resource: string): boolean {
  return STATUS_ALONE.has(resource);
}

/**
 * Returns the fields that a write through a path leaves as they are.
 *
 * @param resource the plural with its group: `deployments.apps`
 * @param hasStatus whether the status is written through a subresource
 */
export function resetFields(
  resource: string,
  custom: boolean,
  hasStatus: boolean,
  subresource: string | undefined,
): FieldSet {
  if (!custom) {
    const key = subresource ? `${resource}/${subresource}` : resource;
    if (Object.hasOwn(PARTICULAR, key)) return PARTICULAR[key]!;
  }
  if (subresource === 'status') return custom || STATUS_ALONE.has(resource) ? ALL_BUT_STATUS : SPEC;
  return !subresource && hasStatus ? STATUS : FieldSet.EMPTY;
}

function fields(...paths: readonly string[]): FieldSet {
  return FieldSet.of(paths.map((path) => path.split('.').map(memberElement)));
}
