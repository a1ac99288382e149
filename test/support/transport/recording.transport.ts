import { parseJson, type KubeRequest, type KubeResponse, type KubeTransport } from 'nestjs-kopf';

/** A write request as it was sent, with the status that came back. */
export interface RecordedWrite {
  readonly method: string;
  readonly path: string;
  readonly contentType?: string;
  readonly body: unknown;
  readonly response: number;
}

/** Passes requests on, and tells of those that write. */
export class RecordingTransport implements KubeTransport {
  constructor(
    private readonly transport: KubeTransport,
    private readonly onWrite: (write: RecordedWrite) => void,
  ) {}

  async request(request: KubeRequest): Promise<KubeResponse> {
    const response = await this.transport.request(request);
    if (request.method !== 'GET') {
      const contentType = request.headers['content-type'];
      this.onWrite({
        method: request.method,
        path: request.path,
        ...(request.method === 'PATCH' && { contentType }),
        body: request.body === undefined ? undefined : parseJson(request.body),
        response: response.status,
      });
    }
    return response;
  }

  close(): Promise<void> {
    return this.transport.close();
  }
}
