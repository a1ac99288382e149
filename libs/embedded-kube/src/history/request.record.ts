import { toFaultRequest } from '../faults/fault.matching.js';
import type { ApiRequest, RequestCause } from '../server/api.request.js';
import type { RecordedChange, RecordedRequest } from './recorded.types.js';

/** The record of a request, which is completed as it is processed. */
export class RequestRecord implements RecordedRequest, RequestCause {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string | Uint8Array;
  readonly userAgent: string;
  readonly changes: RecordedChange[] = [];
  user = '';
  declare status?: number;

  constructor(
    request: ApiRequest,
    readonly number: number,
    readonly time: number,
  ) {
    const { method, path, query, verb, resource, namespace, name, subresource, headers } = toFaultRequest(request);
    // Records are printed where assertions fail, and tokens are not to be read there.
    const { authorization: _, ...shown } = headers;
    this.method = method;
    this.path = path;
    this.query = query;
    this.verb = verb;
    this.resource = resource;
    this.namespace = namespace;
    this.name = name;
    this.subresource = subresource;
    this.headers = shown;
    this.body = request.body;
    this.userAgent = headers['user-agent'] ?? '';
  }
}
