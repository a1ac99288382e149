import { ApiForbiddenError, ApiNotFoundError } from '../../../client/api/api.errors.js';
import type { KubeApi } from '../../../client/api/api.client.js';
import { errorText, parseTimestamp } from 'kube-common';
import type { KubeObject } from '../../../objects/kube-object.js';
import { explainName, selectName } from '../../../resources/object.names.js';
import { qualifiedName, resourceUrl, type Resource } from '../../../resources/resources.js';
import type { InspectedEvent } from '../../inspection.types.js';
import { InspectionError } from '../../inspection.error.js';
import type { ObjectAddress } from '../../operator.inspection.js';

/** The most Kubernetes events of one object that are read. */
const MOST_EVENTS = 100;

/**
 * Reads one object as it is now, by a list, as operators have the permission to list.
 *
 * @throws InspectionError 400 for what is no name, 404 if there is none, 502 if the API server does not answer.
 */
export async function readObject(
  api: KubeApi,
  resource: Resource,
  { namespace, name }: ObjectAddress,
  signal: AbortSignal,
): Promise<KubeObject> {
  const problem = explainName(name);
  if (problem !== undefined) throw new InspectionError(400, `The name of the object ${problem}.`);
  const query = { fieldSelector: selectName(name) };
  const url = urlOf(resource, namespace, query);
  const place = `${qualifiedName(resource)}${namespace === undefined ? '' : ` in the namespace ${namespace}`}`;
  const found = await read(() => api.list(url, { signal, retries: false }), place, signal);
  const body = found?.items?.[0];
  if (body) return body;
  const where = namespace === undefined ? '' : `${namespace}/`;
  throw new InspectionError(404, `There is no object ${where}${name} of ${qualifiedName(resource)}.`);
}

/** Reads the Kubernetes events about an object, newest first; none if the operator may not list them. */
export async function readEvents(
  api: KubeApi,
  { metadata }: KubeObject,
  conceal: (message: string) => string,
  signal: AbortSignal,
): Promise<readonly InspectedEvent[]> {
  const { uid, namespace = 'default' } = metadata;
  const query = new URLSearchParams({ fieldSelector: `involvedObject.uid=${uid}`, limit: String(MOST_EVENTS) });
  const url = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events?${query.toString()}`;
  try {
    const { items } = await api.list<KubeObject & Record<string, any>>(url, { signal, retries: false });
    return items
      .map((event) => ({
        type: String(event.type ?? ''),
        reason: String(event.reason ?? ''),
        message: conceal(String(event.message ?? event.note ?? '')),
        at: parseTimestamp(event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp) ?? 0,
        count: Number(event.count ?? event.series?.count ?? 1),
        source: String(event.reportingComponent || (event.source?.component ?? '')),
      }))
      .sort((one, other) => other.at - one.at);
  } catch {
    signal.throwIfAborted();
    return [];
  }
}

async function read<T>(request: () => Promise<T>, place: string, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await request();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ApiNotFoundError) return undefined;
    if (error instanceof ApiForbiddenError) {
      const text = `The operator may not list ${place}, so that this object cannot be read.`;
      throw new InspectionError(403, text);
    }
    throw new InspectionError(502, `The API server has not answered: ${errorText(error)}`);
  }
}

function urlOf(resource: Resource, namespace: string | undefined, query: Readonly<Record<string, string>>): string {
  try {
    return resourceUrl(resource, { namespace, query });
  } catch (error) {
    throw new InspectionError(400, errorText(error));
  }
}
