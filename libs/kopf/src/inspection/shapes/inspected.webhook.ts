/** One review that a webhook has answered. */
export interface InspectedReview {
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly allowed: boolean;
  readonly code?: number;
  readonly message?: string;
  /** Seconds. */
  readonly duration: number;
}

/** One webhook, and how its reviews end: `GET api/webhooks`. Reviews count as the calls of handlers do. */
export interface InspectedWebhook {
  readonly id: string;
  readonly kind: 'validate' | 'mutate' | 'convert';
  /** The method: `PodOperator.validate`. */
  readonly source: string;
  /** The resources that it is for, in words. */
  readonly selector?: string;
  readonly calls: number;
  /** The number of requests that were rejected. */
  readonly refused: number;
  /** The number of reviews without an answer. */
  readonly failed: number;
  /** The median of the durations of the last reviews, in seconds. */
  readonly p50?: number;
  readonly p95?: number;
  /** The last reviews, newest first. */
  readonly last: readonly InspectedReview[];
}
