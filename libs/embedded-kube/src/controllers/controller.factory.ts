import type { Clock, Random } from 'kube-common';
import type { Logger } from '../common/logger.js';
import type { KubeObject } from '../resources/kube-object.js';
import { AccountTokenController } from './account-token.controller.js';
import { CertificateSigner, type CertificateIssuer } from './certificate.signer.js';
import type { ControllerClient } from './controller.js';
import { ControllerRunner, type ControllerRunnerOptions } from './controller.runner.js';
import { SimulatedPods } from './nodes/simulated.pods.js';

/** The dependencies of the controllers. */
export interface ControllerParts {
  /** The client of all controllers, with the rights of the controller manager. */
  readonly client: ControllerClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Issues the token of a service account for a Secret. */
  readonly issueToken: (account: KubeObject, secret: KubeObject) => string;
  /** Signs a CertificateSigningRequest. */
  readonly issueCertificate: CertificateIssuer;
}

/** Creates the controllers, and the pods that they simulate. */
export function createControllers(
  options: ControllerRunnerOptions,
  { issueToken, issueCertificate, ...context }: ControllerParts,
): { readonly controllers: ControllerRunner; readonly pods: SimulatedPods } {
  const pods = new SimulatedPods(context.clock);
  const own = [new AccountTokenController(issueToken), new CertificateSigner(issueCertificate)];
  const controllers = new ControllerRunner(
    { ...options, controllers: [...own, ...(options.controllers ?? [])] },
    context,
    pods,
  );
  return { controllers, pods };
}
