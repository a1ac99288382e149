import type { KubeResponse } from 'kube-common';

/** A response whose body has arrived as a whole, or comes in lines. */
export class TransportResponse implements KubeResponse {
  constructor(
    readonly status: number,
    readonly headers: Readonly<Record<string, string>>,
    private readonly body: string | AsyncIterable<Uint8Array>,
  ) {}

  async text(): Promise<string> {
    if (typeof this.body === 'string') return this.body;
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.body) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    if (typeof this.body !== 'string') yield* this.body;
    else if (this.body) yield Buffer.from(this.body);
  }
}
