import type { Dispatcher } from 'undici';
import type { KubeResponse } from './kube-transport.interface.js';
import { joinHeaders } from './header.values.js';

/** A response over HTTP. */
export class HttpResponse implements KubeResponse {
  constructor(private readonly response: Dispatcher.ResponseData) {}

  get status(): number {
    return this.response.statusCode;
  }

  get headers(): Readonly<Record<string, string>> {
    return joinHeaders(this.response.headers);
  }

  text(): Promise<string> {
    return this.response.body.text();
  }

  chunks(): AsyncIterable<Uint8Array> {
    return this.response.body;
  }
}
