import type { AdmissionAttributes } from '../../../machinery/write.admission.js';

const GROUP = 'admissionregistration.k8s.io';
const EXEMPT = /^(Validating|Mutating)(WebhookConfiguration|AdmissionPolicy|AdmissionPolicyBinding)$/;

/** Whether webhooks are not asked, as they could lock everybody out of themselves. */
export function isExempt({ served: { resource } }: AdmissionAttributes): boolean {
  return resource.group === GROUP && EXEMPT.test(resource.kind);
}
