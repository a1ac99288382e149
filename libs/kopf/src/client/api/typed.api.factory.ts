import type { HttpLibrary, RequestContext } from '@kubernetes/client-node';
import { ApiError, ApiNotFoundError } from './api.errors.js';
import { isResourceMissing } from './resource.resolver.js';
import type { KubeApi, TextAnswer } from './api.client.js';
import { checkPath } from '../../resources/object.names.js';

/** A class of a typed API of `@kubernetes/client-node`, such as `CoreV1Api`, which is constructed with a configuration. */
export type KubeApiClass<Api extends object = object> = new (configuration: any) => Api;

/** The base of the absolute URLs that the official client requires; only the part after the host is used. */
const NO_SERVER = 'http://server.invalid';

/**
 * Creates a typed API of the official client, of any of its versions, that sends its requests over the operator's connections.
 *
 * The official client is loaded here and not earlier: an application that has a class of it has loaded it already.
 */
export async function createTypedApi<Api extends object>(type: KubeApiClass<Api>, api: KubeApi): Promise<Api> {
  const client = await import('@kubernetes/client-node');
  let forget = (): void => undefined;
  const httpApi: HttpLibrary = client.wrapHttpLibrary({
    async send(request) {
      const { status, headers, text, isMissing } = await send(api, request);
      if (isMissing) forget();
      const body = new client.SelfDecodingBody(Promise.resolve(Buffer.from(text)));
      return new client.ResponseContext(status, { ...headers }, body);
    },
  });
  const baseServer = new client.ServerConfiguration(NO_SERVER, {});
  const makeRequestContext = baseServer.makeRequestContext.bind(baseServer);
  // Names are checked before the official client parses the path, as a URL loses an empty name, and resolves '..' to the namespace.
  baseServer.makeRequestContext = (path, method) => {
    checkPath(method, path);
    return makeRequestContext(path, method);
  };
  const typed = new type(client.createConfiguration({ baseServer, httpApi }));
  // The API for objects of any kind would keep the resources of a version in its cache, even after a CRD was recreated with another scope
  // or name.
  if ('apiVersionResourceCache' in typed) forget = () => (typed.apiVersionResourceCache = {});
  return typed;
}

/** A response, with whether the server does not serve the path. */
type Answer = TextAnswer & { readonly isMissing?: boolean };

async function send(api: KubeApi, request: RequestContext): Promise<Answer> {
  const { pathname, search } = new URL(request.getUrl());
  const body = request.getBody();
  if (body !== undefined && typeof body !== 'string') throw new TypeError('Only texts can be sent to the API server.');
  const entries = Object.entries(request.getHeaders());
  const headers = Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
  const options = { headers, signal: request.getSignal(), retries: 'transient' } as const;
  try {
    return await api.send(request.getHttpMethod(), pathname + search, body, options);
  } catch (error) {
    if (error instanceof ApiNotFoundError) return { ...describe(error), isMissing: isResourceMissing(error) };
    if (error instanceof ApiError) return describe(error);
    throw error;
  }
}

/** Converts an error to an HTTP response, from which the official client creates its own error. */
function describe({ status, reason, statusMessage, details, retryAfter }: ApiError): TextAnswer {
  const message = statusMessage ?? '';
  const payload = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, reason, message, details };
  const headers = {
    'content-type': 'application/json',
    ...(retryAfter !== undefined && { 'retry-after': `${retryAfter}` }),
  };
  return { status, headers, text: JSON.stringify(payload) };
}
