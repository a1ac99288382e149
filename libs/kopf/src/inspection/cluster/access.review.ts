import type { KubeApi } from '../../client/api/api.client.js';
import type { Resource } from '../../resources/resources.js';

/** One verb on one resource, whose permission is reviewed. */
export interface ReviewedAccess {
  readonly verb: string;
  readonly resource: Pick<Resource, 'group' | 'plural'>;
  /** Absent for all namespaces. */
  readonly namespace?: string;
  readonly name?: string;
}

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** Asks the API server whether the user of the connection has this permission, by a `SelfSubjectAccessReview`. */
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
