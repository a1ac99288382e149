/** The reason why an inspection cannot answer. Its message can be shown: it contains nothing that is redacted. */
export class InspectionError extends Error {
  override readonly name: string = 'InspectionError';
  readonly code = 'KOPF_INSPECTION';

  /** @param status the HTTP status with which an endpoint answers. */
  constructor(
    readonly status: 400 | 403 | 404 | 409 | 502,
    message: string,
  ) {
    super(message);
  }
}
