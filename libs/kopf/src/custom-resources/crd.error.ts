import { KopfError } from '../common/kopf.errors.js';

/**
 * The cluster does not have the CRDs that the operator needs, and the operator cannot or may not create them. It tries again, as somebody
 * else can apply them meanwhile.
 */
export class CustomResourceError extends KopfError {
  readonly code = 'KOPF_CRD';
}
