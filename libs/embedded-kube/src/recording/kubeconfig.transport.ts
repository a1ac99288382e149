import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { yamlLibrary } from '../common/yaml.library.js';
import { mapping } from '../common/json.values.js';
import type { KubeRequest, KubeResponse, KubeTransport } from 'kube-common';
import { TransportResponse } from './transport.response.js';

/**
 * A transport to the cluster of a kubeconfig's current context, as its user: by a token or a client certificate in the text. Files and
 * plugins are not read.
 */
export class KubeconfigTransport implements KubeTransport {
  private readonly url: URL;
  private readonly token: string | undefined;
  private readonly agent: Agent;

  /** @param kubeconfig its text. @throws Error if it names no server, or its user comes with neither a token nor a certificate */
  constructor(kubeconfig: string) {
    const config = mapping(yamlLibrary().load(kubeconfig));
    const context = mapping(named(config, 'contexts', config['current-context'])['context']);
    const cluster = mapping(named(config, 'clusters', context['cluster'])['cluster']);
    const user = mapping(named(config, 'users', context['user'])['user']);
    if (typeof cluster['server'] !== 'string') throw new Error('The kubeconfig names no server');
    this.url = new URL(cluster['server']);
    this.token = textOf(user['token']);
    const [ca, cert, key] = [
      decoded(cluster['certificate-authority-data']),
      decoded(user['client-certificate-data']),
      decoded(user['client-key-data']),
    ];
    if (!this.token && !cert) throw new Error('The kubeconfig has neither a token nor a client certificate in it');
    const rejectUnauthorized = cluster['insecure-skip-tls-verify'] !== true;
    this.agent = new Agent({ keepAlive: true, rejectUnauthorized, ...(ca && { ca }), ...(cert && { cert, key }) });
  }

  async request({ method, path, headers, body, signal }: KubeRequest): Promise<KubeResponse> {
    const { authorization: _, host: __, connection: ___, 'content-length': ____, ...others } = headers;
    const outgoing = httpsRequest({
      method,
      host: this.url.hostname.replace(/^\[|\]$/g, ''),
      port: this.url.port || 443,
      path: `${this.url.pathname.replace(/\/$/, '')}${path}`,
      agent: this.agent,
      headers: {
        ...others,
        // What is recorded has to be readable.
        'accept-encoding': 'identity',
        ...(this.token && { authorization: `Bearer ${this.token}` }),
        ...(body && { 'content-length': Buffer.byteLength(body) }),
      },
      ...(signal && { signal }),
    });
    outgoing.end(body);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return new TransportResponse(response.statusCode ?? 0, response.headers as Record<string, string>, response);
  }

  close(): Promise<void> {
    this.agent.destroy();
    return Promise.resolve();
  }
}

function named(
  config: Readonly<Record<string, unknown>>,
  list: string,
  name: unknown,
): Readonly<Record<string, unknown>> {
  const entries = config[list];
  const found: unknown = Array.isArray(entries) ? entries.find((each) => mapping(each)['name'] === name) : undefined;
  return mapping(found);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value ? value : undefined;
}

function decoded(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : Buffer.from(text, 'base64').toString('utf8');
}
