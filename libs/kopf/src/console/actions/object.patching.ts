import type { KubeApi } from '../../client/api/api.client.js';
import { ApiConflictError, ApiForbiddenError, ApiNotFoundError } from '../../client/api/api.errors.js';
import { errorText, isMap } from 'kube-common';
import type { KubeObject } from '../../objects/kube-object.js';
import { REDACTED } from '../../objects/redaction.js';
import { Redactor } from '../../resources/redactor.js';
import { resourceUrl, type Resource } from '../../resources/resources.js';
import { ConsoleError } from '../../inspection/inspection.error.js';

/**
 * Merges a patch into an object, its status where the resource has it. The version of the object is a part of each request, so that nothing is
 * overwritten that has changed since the object was read.
 *
 * @param body the object as it was read.
 * @throws ConsoleError 409 if the object has changed, 404 if it has gone, 403 if it may not be changed, 502 if the API server does not take it.
 */
export async function patchObject(
  { api, redactor = new Redactor() }: { readonly api: KubeApi; readonly redactor?: Redactor },
  resource: Resource,
  body: KubeObject,
  { status, ...patch }: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<void> {
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
    throw explainFailure(error, redactor.protects(resource));
  }
}

function explainFailure(error: unknown, isProtected: boolean): ConsoleError {
  if (error instanceof ApiConflictError) {
    return new ConsoleError(409, 'The object has changed meanwhile: look at it again.');
  }
  if (error instanceof ApiNotFoundError) return new ConsoleError(404, 'The object does not exist any more.');
  if (error instanceof ApiForbiddenError) return new ConsoleError(403, 'This object may not be changed.');
  return new ConsoleError(502, `The API server has not taken it: ${isProtected ? REDACTED : errorText(error)}`);
}
