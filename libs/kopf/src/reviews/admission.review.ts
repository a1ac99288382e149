import type { KubeObject } from '../objects/kube-object.js';
import type { ConversionReviewAnswer } from './conversion.review.js';

/** Names the operation on the object that the API server asks about. */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** A condition in CEL, as webhook configurations have them: `{ name: 'not-system', expression: '!has(object.metadata.labels.system)' }`. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** Identifies the user of the request, as the API server has authenticated it. */
export interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A resource as reviews name it, by its version and its name in the plural. */
export interface ReviewedResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** A kind as reviews name it. */
export interface ReviewedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Carries a request of `admission.k8s.io/v1` or `v1beta1`, which are the same. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: ReviewedKind;
  readonly resource: ReviewedResource;
  readonly subResource?: string;
  /** Names the kind as the user has sent it, where it was converted for the webhook. */
  readonly requestKind?: ReviewedKind;
  readonly requestResource?: ReviewedResource;
  readonly requestSubResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: AdmissionOperation;
  readonly userInfo?: UserInfo;
  /** The new object; `null` for deletions. */
  readonly object?: KubeObject | null;
  /** Holds the stored object; `null` for creations. */
  readonly oldObject?: KubeObject | null;
  readonly dryRun?: boolean;
  readonly options?: Readonly<Record<string, unknown>> | null;
}

/** The question of the API server. */
export interface AdmissionReview {
  /** @default admission.k8s.io/v1 */
  readonly apiVersion?: string;
  /** @default AdmissionReview */
  readonly kind?: string;
  readonly request: AdmissionRequest;
}

/** The answer to an {@link AdmissionReview}, of the same version and kind. */
export interface AdmissionReviewAnswer {
  readonly apiVersion: string;
  readonly kind: string;
  readonly response: AdmissionResponse;
}

/** Carries the operator's decision about a request. */
export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly warnings?: readonly string[];
  /** A JSON patch, in base64. */
  readonly patch?: string;
  readonly patchType?: 'JSONPatch';
  /** Explains why the request is rejected. */
  readonly status?: {
    readonly message: string;
    readonly code: number;
    /** Says in a word why; absent if the code says it all. */
    readonly reason?: string;
    readonly details?: {
      /** Seconds after which the API server asks its client to try again. */
      readonly retryAfterSeconds?: number;
    };
  };
}

/** Describes a client's certificate for handlers, as Node's TLS sees it. */
export interface ClientCertificate {
  /** `{ CN: 'admin', O: 'system:masters' }` */
  readonly subject: Readonly<Record<string, string | readonly string[]>>;
  readonly issuer: Readonly<Record<string, string | readonly string[]>>;
  readonly serialNumber: string;
  /** SHA-256, as `AB:CD:…`. */
  readonly fingerprint256: string;
  readonly validFrom: Date;
  readonly validTo: Date;
  /** Is true if the certificate was signed by an authority that the server trusts. */
  readonly isVerified: boolean;
}

/** Describes the HTTP request by which a review came. */
export interface AdmissionCall {
  /** The id of the handler that is asked for, out of the URL; all handlers that match, if it is empty or absent. */
  readonly webhook?: string;
  /** Holds the headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Absent if the client has shown no certificate. */
  readonly sslpeer?: ClientCertificate;
  /** Seconds for which the API server waits, as it says in the query of the URL: `?timeout=10s`. */
  readonly timeout?: number;
  /** Is aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
}

/**
 * Answers a review: of admission, or of the conversion of objects.
 *
 * @param review as it was parsed; it is not trusted.
 * @throws AdmissionRequestError with the HTTP status to answer with, if it cannot be answered by a review.
 */
export type AdmissionReviewer = (
  review: unknown,
  call: AdmissionCall,
) => Promise<AdmissionReviewAnswer | ConversionReviewAnswer>;
