import { KopfError } from '../common/kopf.errors.js';

/**
 * The error of an operator that needs CRDs which the cluster does not have, and which the operator cannot or may not create. The operator
 * tries again, as another client can apply them later.
 */
export class CustomResourceError extends KopfError {
  readonly code = 'KOPF_CRD';
}
