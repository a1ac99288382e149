import { type KubeRequest, type KubeResponse, type KubeTransport, parseJson } from 'kube-common';
import type { KubeObject } from '../../objects/kube-object.js';
import type { ActivityTracker } from './activity.tracker.js';
import { isSameObject, type EventRecorder } from './event.recorder.js';

/** A request by which the operator has written something, or has tried to. */
export interface RecordedRequest {
  readonly method: string;
  /** With the query: `/api/v1/namespaces/default/pods/web?dryRun=All`. */
  readonly path: string;
  readonly contentType: string | undefined;
  /** The parsed body. */
  readonly body: any;
  /** The status of the answer: 200. */
  readonly status: number;
}

/**
 * The function that answers a request instead of the API server, or throws as a broken connection does; with `undefined`, the API server
 * answers it.
 */
export type RequestInterceptor = (request: KubeRequest) => KubeResponse | undefined | Promise<KubeResponse | undefined>;

/** The record of the operator's writing requests, in the order of the answers. */
export class RequestRecorder implements Iterable<RecordedRequest> {
  readonly all: RecordedRequest[] = [];

  /** Returns the requests for an object and its subresources. */
  of({ kind, metadata }: Pick<KubeObject, 'kind' | 'metadata'>): RecordedRequest[] {
    return this.all.filter(({ path }) => {
      const place = parsePath(path);
      if (!place || !isSameObject(place, { ...metadata, uid: undefined })) return false;
      // The plural is not known here, but it begins as the kind does, but for its last letter: policies.
      return !kind || place.plural.startsWith(kind.toLowerCase().slice(0, -1));
    });
  }

  [Symbol.iterator](): Iterator<RecordedRequest> {
    return this.all[Symbol.iterator]();
  }
}

/** The transport that forwards the requests of an operator, and records those that write. */
export class ObservedTransport implements KubeTransport {
  constructor(
    private readonly transport: KubeTransport,
    private readonly records: {
      readonly activity: ActivityTracker;
      readonly requests: RequestRecorder;
      readonly patches: RequestRecorder;
      readonly events: EventRecorder;
      readonly interceptors: ReadonlySet<RequestInterceptor>;
    },
  ) {}

  async request(request: KubeRequest): Promise<KubeResponse> {
    const end = this.records.activity.begin();
    try {
      const response = (await this.intercept(request)) ?? (await this.transport.request(request));
      if (request.method !== 'GET') this.record(request, response.status);
      return response;
    } finally {
      end();
    }
  }

  close(): Promise<void> {
    return this.transport.close();
  }

  private async intercept(request: KubeRequest): Promise<KubeResponse | undefined> {
    for (const interceptor of this.records.interceptors) {
      const response = await interceptor(request);
      if (response) return response;
    }
    return undefined;
  }

  private record({ method, path, headers, body: text }: KubeRequest, status: number): void {
    const { requests, patches, events } = this.records;
    const body = text === undefined ? undefined : parseJson(text);
    const recorded = { method, path, contentType: headers['content-type'], body, status };
    requests.all.push(recorded);
    if (method === 'PATCH') patches.all.push(recorded);
    if (method === 'POST' && parsePath(path)?.plural === 'events' && status < 300) {
      events.add(body as Record<string, unknown>);
    }
  }
}

/** Makes an answer of an API server, for interceptors. @param body is sent as JSON */
export function respondWith(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): KubeResponse {
  const text = JSON.stringify(body);
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    text: () => Promise.resolve(text),
    chunks: async function* () {
      yield Buffer.from(text);
    },
  };
}

function parsePath(path: string) {
  const found = /^\/(?:api|apis\/[^/]+)\/[^/]+(?:\/namespaces\/([^/]+))?\/([^/?]+)(?:\/([^/?]+))?/.exec(path);
  return found
    ? { namespace: found[1] as string | undefined, plural: found[2], name: found[3] as string | undefined }
    : undefined;
}
