import type { KubeObject } from '../objects/kube-object.js';
import type { ConversionReviewAnswer } from './conversion.review.js';

/** The reviewed operation on the object. */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** A condition in CEL, as in webhook configurations: `{ name: 'not-system', expression: '!has(object.metadata.labels.system)' }`. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** The user of the request, as the API server has authenticated it. */
export interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A resource in reviews, by its version and its plural name. */
export interface ReviewedResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** A kind in reviews. */
export interface ReviewedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A request of `admission.k8s.io/v1` or `v1beta1`, which have the same form. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: ReviewedKind;
  readonly resource: ReviewedResource;
  readonly subResource?: string;
  /** The kind that the user has sent, if the object was converted for the webhook. */
  readonly requestKind?: ReviewedKind;
  readonly requestResource?: ReviewedResource;
  readonly requestSubResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: AdmissionOperation;
  readonly userInfo?: UserInfo;
  /** The new object; `null` for deletions. */
  readonly object?: KubeObject | null;
  /** The stored object; `null` for creations. */
  readonly oldObject?: KubeObject | null;
  readonly dryRun?: boolean;
  readonly options?: Readonly<Record<string, unknown>> | null;
}

/** The review request of the API server. */
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

/** The operator's decision about a request. */
export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly warnings?: readonly string[];
  /** A JSON patch, in base64. */
  readonly patch?: string;
  readonly patchType?: 'JSONPatch';
  /** The reason of a rejection. */
  readonly status?: {
    readonly message: string;
    readonly code: number;
    /** The reason in one word; absent if the code is enough. */
    readonly reason?: string;
    readonly details?: {
      /** The seconds after which the client of the API server may retry. */
      readonly retryAfterSeconds?: number;
    };
  };
}

/** The certificate of a client, as Node's TLS represents it. */
export interface ClientCertificate {
  /** The subject: `{ CN: 'admin', O: 'system:masters' }`. */
  readonly subject: Readonly<Record<string, string | readonly string[]>>;
  readonly issuer: Readonly<Record<string, string | readonly string[]>>;
  readonly serialNumber: string;
  /** The SHA-256 fingerprint: `AB:CD:…`. */
  readonly fingerprint256: string;
  readonly validFrom: Date;
  readonly validTo: Date;
  /** Whether the certificate was signed by an authority that the server trusts. */
  readonly isVerified: boolean;
}

/** The HTTP request of a review. */
export interface AdmissionCall {
  /** The id of the requested handler, from the URL; if it is empty or absent, all matching handlers are called. */
  readonly webhook?: string;
  /** The headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The client's certificate; absent if the client has sent none. */
  readonly sslpeer?: ClientCertificate;
  /** The seconds for which the API server waits, from the query of the URL: `?timeout=10s`. */
  readonly timeout?: number;
  /** Aborted when the client does not wait for the answer any more. */
  readonly signal?: AbortSignal;
}

/**
 * A function that answers a review of admission, or of the conversion of objects.
 *
 * @param review the parsed review; it is not trusted.
 * @throws AdmissionRequestError with the HTTP status of the answer, if there is no answer to the review.
 */
export type AdmissionReviewer = (
  review: unknown,
  call: AdmissionCall,
) => Promise<AdmissionReviewAnswer | ConversionReviewAnswer>;
