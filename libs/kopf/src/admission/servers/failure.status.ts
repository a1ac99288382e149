import { AdmissionRequestError } from '../review/admission.errors.js';

/** A failure as Kubernetes describes it. */
export interface FailureStatus {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: object;
  readonly status: 'Failure';
  readonly message: string;
  readonly code: number;
}

/** Creates the `Status` for a request that cannot be answered by a review. Details of unexpected errors are concealed. */
export function createFailureStatus(error: unknown): FailureStatus {
  const isExpected = error instanceof AdmissionRequestError;
  const message = isExpected ? error.message : 'The review has failed.';
  const code = isExpected ? error.status : 500;
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code };
}
