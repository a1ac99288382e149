import type { KubeApi } from '../../client/api/api.client.js';
import type { Resource } from '../../resources/resources.js';

/** One thing that somebody may be allowed to do. */
export interface ReviewedAccess {
  readonly verb: string;
  readonly resource: Pick<Resource, 'group' | 'plural'>;
  /** Absent for all namespaces. */
  readonly namespace?: string;
  readonly name?: string;
}

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** Asks the API server whether the user of the connection may do something, by a `SelfSubjectAccessReview`. */
export async function reviewAccess(api: KubeApi, access: ReviewedAccess, signal?: AbortSignal): Promise<boolean> {
  const { verb, resource, namespace, name } = access;
  const resourceAttributes = { verb, group: resource.group, resource: resource.plural, namespace, name };
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  };
  const { status } = await api.post<{ status?: { allowed?: boolean } }>(REVIEWS, review, { signal });
  return status?.allowed === true;
}
