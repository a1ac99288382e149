import type { KubeObject } from '../resources/kube-object.js';
import { ReconcilingController } from './reconciling.controller.js';
import { ignoringGone } from './work.queue.js';

/** The check of a policy that the controller of their statuses is given. @returns the warnings for the status */
export type PolicyCheck = (policy: KubeObject) => readonly object[];

/** The controller that writes into the status of a ValidatingAdmissionPolicy which expressions do not fit the types of objects. */
export class PolicyStatusController extends ReconcilingController {
  readonly name = 'validatingadmissionpolicy-status-controller';

  constructor(private readonly check: PolicyCheck) {
    super({ group: 'admissionregistration.k8s.io', plural: 'validatingadmissionpolicies' });
  }

  protected async reconcile(policy: KubeObject): Promise<void> {
    const { name = '', generation } = policy.metadata;
    const { observedGeneration } = (policy.status ?? {}) as { readonly observedGeneration?: number };
    if (observedGeneration === generation) return;
    const expressionWarnings = this.check(policy);
    const status = {
      observedGeneration: generation,
      typeChecking: expressionWarnings.length > 0 ? { expressionWarnings } : {},
    };
    const options = { fieldManager: 'validatingadmissionpolicy-status', force: true, subresource: 'status' };
    const configuration = { metadata: { name }, status };
    await ignoringGone(this.client.apply(this.resource, undefined, name, configuration, options));
  }
}
