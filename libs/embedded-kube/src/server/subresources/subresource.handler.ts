import type { ApiResponse } from '../api.request.js';
import type { ResourceRequest } from '../resource.handler.js';

/** Answers requests for a subresource that is no view of the whole object, or for a resource that is not stored. */
export interface SubresourceHandler {
  /** `pods/eviction`, `scale` for all resources that have it, `bindings` for a resource. */
  readonly key: string;
  handle(request: ResourceRequest): Promise<ApiResponse> | ApiResponse;
}
