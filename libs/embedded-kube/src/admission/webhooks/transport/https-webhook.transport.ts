import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { isIP } from 'node:net';
import { networkMessage } from './network.errors.js';
import type { WebhookRequest, WebhookResponse, WebhookTransport } from './webhook.transport.js';

/** The number of authorities whose connections are kept for the next review. */
const AGENTS = 200;
/** The largest answer of a webhook, in bytes. */
const RESPONSE_LIMIT = 32 * 1024 * 1024;

/** The transport of reviews over HTTPS, which keeps the connections. */
export class HttpsWebhookTransport implements WebhookTransport {
  private readonly agents = new Map<string, Agent>();

  post({ url, endpoint, caBundle, headers, body, signal }: WebhookRequest): Promise<WebhookResponse> {
    const target = new URL(url);
    const { hostname, port } = new URL(endpoint ?? url);
    const name = unbracketed(target.hostname);
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => {
        reject(signal.aborted ? (signal.reason as Error) : new Error(networkMessage(error), { cause: error }));
      };
      const outgoing = request({
        method: 'POST',
        host: unbracketed(hostname),
        port: port || 443,
        path: target.pathname + target.search,
        servername: isIP(name) ? '' : name,
        headers: { ...headers, host: target.host, 'content-length': Buffer.byteLength(body) },
        agent: this.agent(caBundle),
        signal,
      });
      outgoing.on('error', fail);
      outgoing.on('response', (response) => void readResponse(response).then(resolve, fail));
      outgoing.end(body);
    });
  }

  close(): Promise<void> {
    for (const agent of this.agents.values()) agent.destroy();
    this.agents.clear();
    return Promise.resolve();
  }

  private agent(caBundle = ''): Agent {
    let agent = this.agents.get(caBundle);
    if (agent) this.agents.delete(caBundle);
    // A bundle of the webhook's own certificate is enough for Go, and it is what envtest installs.
    else agent = new Agent({ keepAlive: true, ...(caBundle && { ca: caBundle, allowPartialTrustChain: true }) });
    this.agents.set(caBundle, agent);
    const [oldest] = this.agents.keys();
    if (this.agents.size > AGENTS && oldest !== undefined) {
      this.agents.get(oldest)!.destroy();
      this.agents.delete(oldest);
    }
    return agent;
  }
}

async function readResponse(response: IncomingMessage): Promise<WebhookResponse> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > RESPONSE_LIMIT) throw new Error('the answer does not end');
    chunks.push(chunk);
  }
  const headers = response.headers as Record<string, string | undefined>;
  return { status: response.statusCode ?? 0, headers, body: Buffer.concat(chunks).toString('utf8') };
}

function unbracketed(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
