import { isStreaming } from '../server/request.info.js';
import type { KubeRequest, KubeResponse, KubeTransport } from 'kube-common';
import { ClusterRecording, type RecordedEntry } from './cluster.recording.js';
import { redactText } from './redaction.js';
import { TransportResponse } from './transport.response.js';

/** The headers of answers that mean something to clients. */
const KEPT = ['content-type', 'retry-after', 'warning'];

/** An entry with its place, which it has before it is complete. */
interface Place {
  entry?: RecordedEntry;
}

/**
 * A transport that records the traffic with a cluster. The data of Secrets, tokens, and the headers of requests are never recorded.
 *
 * @example
 * const recorder = new ClusterRecorder(new KubeconfigTransport(kubeconfig));
 * // … the operator works over the recorder
 * writeFileSync('cluster.recording', recorder.recording.text);
 */
export class ClusterRecorder implements KubeTransport {
  private readonly places: Place[] = [];
  private streams = 0;

  /** @param upstream the transport to the cluster; closed with the recorder */
  constructor(private readonly upstream: KubeTransport) {}

  /** The recording so far, without requests that are not answered yet. */
  get recording(): ClusterRecording {
    return new ClusterRecording(this.places.flatMap(({ entry }) => (entry ? [entry] : [])));
  }

  async request(request: KubeRequest): Promise<KubeResponse> {
    const { method, path, body = '' } = request;
    const place: Place = {};
    this.places.push(place);
    const response = await this.upstream.request({ ...request, headers: withJson(request.headers) });
    const { status } = response;
    const headers = Object.fromEntries(Object.entries(response.headers).filter(([name]) => KEPT.includes(name)));
    if (status === 200 && isStreaming(method, path)) {
      const id = (this.streams += 1);
      place.entry = { type: 'stream', id, path, status, headers };
      return new TransportResponse(status, response.headers, this.follow(id, path, response));
    }
    const text = await response.text();
    const recorded = { body: redactText(path, body), text: redactText(path, text) };
    place.entry = { type: 'exchange', method, path, status, headers, ...recorded };
    return new TransportResponse(status, response.headers, text);
  }

  close(): Promise<void> {
    return this.upstream.close();
  }

  private async *follow(id: number, path: string, response: KubeResponse): AsyncGenerator<Uint8Array> {
    let rest = Buffer.alloc(0);
    for await (const chunk of response.chunks()) {
      rest = Buffer.concat([rest, chunk]);
      const end = rest.lastIndexOf('\n') + 1;
      const lines = rest.subarray(0, end).toString('utf8').split('\n').slice(0, -1);
      for (const line of lines) this.places.push({ entry: { type: 'line', id, text: redactText(path, line) } });
      rest = rest.subarray(end);
      yield chunk;
    }
    this.places.push({ entry: { type: 'end', id } });
  }
}

/** Replaces protobuf by JSON in what a client accepts, as recordings have to be readable. */
function withJson(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { accept } = headers;
  return accept?.includes('protobuf') ? { ...headers, accept: 'application/json' } : headers;
}
