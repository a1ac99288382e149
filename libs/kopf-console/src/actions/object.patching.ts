import { type KubeApi, REDACTED, resourceUrl } from 'nestjs-kopf/tooling';
import { ApiConflictError, ApiForbiddenError, ApiNotFoundError, type KubeObject } from 'nestjs-kopf';
import type { HandlingPlan } from 'nestjs-kopf/inspection';
import { errorText, isMap } from 'kube-common';
import { ConsoleError } from '../console.error.js';

/**
 * Merges the patch of a plan into its object, the status where the resource has it. The version of the object is a part of each request, so that
 * nothing is overwritten that has changed since the object was read.
 *
 * @throws ConsoleError 409 if the object has changed, 404 if it has gone, 403 if it may not be changed, 502 if the API server does not take it.
 */
export async function patchObject(
  api: KubeApi,
  { resource, body, patch: planned, isProtected }: HandlingPlan,
  signal: AbortSignal,
): Promise<void> {
  const { status, ...patch } = planned ?? {};
  const { name, namespace } = body.metadata;
  let { resourceVersion } = body.metadata;
  const options = { signal, retries: false } as const;
  const versioned = (part: Record<string, unknown>): object => ({
    ...part,
    metadata: { ...(isMap(part.metadata) ? part.metadata : {}), resourceVersion },
  });
  const hasSubresource = resource.subresources.includes('status');
  try {
    if (status !== undefined && hasSubresource) {
      const url = resourceUrl(resource, { namespace, name, subresource: 'status' });
      const patched = await api.patch<KubeObject>(url, 'merge', versioned({ status }), options);
      ({ resourceVersion } = patched.metadata);
    }
    const whole = { ...patch, ...(status !== undefined && !hasSubresource && { status }) };
    if (Object.keys(whole).length === 0) return;
    await api.patch(resourceUrl(resource, { namespace, name }), 'merge', versioned(whole), options);
  } catch (error) {
    signal.throwIfAborted();
    throw explainFailure(error, isProtected);
  }
}

function explainFailure(error: unknown, isProtected: boolean): ConsoleError {
  if (error instanceof ApiConflictError) {
    return new ConsoleError(409, 'The object has changed since it was shown: look at it again.');
  }
  if (error instanceof ApiNotFoundError) return new ConsoleError(404, 'The object does not exist any more.');
  if (error instanceof ApiForbiddenError) return new ConsoleError(403, 'This object may not be changed.');
  return new ConsoleError(502, `The API server has not taken it: ${isProtected ? REDACTED : errorText(error)}`);
}
