import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { EmbeddedKube } from 'embedded-kube';
import type { ConnectionInfo, KubeRequest, KubeResponse, KubeTransport } from 'nestjs-kopf';
import { createServerIdentity } from '../../../libs/embedded-kube/src/access/certificate.authority.js';
import { Authorization } from '../../../libs/kopf/src/client/http/authorization.js';
import type { VirtualClock } from '../../../libs/kopf/src/testing/time/virtual.clock.js';
import { errorResponse } from '../../support/operators/operator.harness.js';

/** Who sends a request. */
export interface Caller {
  readonly authorization?: string;
  /** The SHA-256 fingerprint of the client's certificate. */
  readonly fingerprint?: string;
}

/**
 * Stands before an embedded API server, and looks at the credentials of each request, as real servers do: they can be
 * refused at any time, also over a connection on which they were accepted before. Watches go on once they were begun.
 */
export class AccessGate {
  passed = 0;
  refused = 0;
  private readonly cluster: KubeTransport;
  private readonly closing = new AbortController();
  private server?: Server;

  /** @param accepts whose requests come through. */
  constructor(
    kube: EmbeddedKube,
    private readonly accepts: (caller: Caller) => boolean,
  ) {
    this.cluster = kube.transport();
  }

  /** The way through the gate for one's credentials, in the process; what is read from files is told to `busy`. */
  transport(info: ConnectionInfo, clock: VirtualClock, busy: <T>(work: Promise<T>) => Promise<T>): KubeTransport {
    const authorization = new Authorization(info, clock);
    return {
      request: async (request) => {
        const headers = authorization.headers ?? (await busy(authorization.refresh()));
        return this.pass(request, headers);
      },
      close: () => Promise.resolve(),
    };
  }

  /** Opens the gate to the network; must be closed. */
  async listen(): Promise<Pick<ConnectionInfo, 'server' | 'caData'>> {
    const { certificate, privateKey, caCertificate } = await createServerIdentity(Date.now(), ['127.0.0.1']);
    const tls = { cert: certificate, key: privateKey, requestCert: true, rejectUnauthorized: false };
    const server = createServer(tls, (request, response) => {
      this.exchange(request, response).catch(() => response.destroy());
    });
    this.server = server;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, caData: caCertificate };
  }

  async close(): Promise<void> {
    const { server } = this;
    this.closing.abort(new Error('The gate is closed.'));
    if (!server) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }

  private pass(request: KubeRequest, caller: Caller): Promise<KubeResponse> {
    if (!this.accepts(caller)) {
      this.refused += 1;
      return Promise.resolve(errorResponse(401, 'Unauthorized', 'Unauthorized'));
    }
    this.passed += 1;
    return this.cluster.request(request);
  }

  private async exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const gone = new AbortController();
    response.once('close', () => gone.abort(new Error('The client has gone.')));
    const { authorization, ...headers } = request.headers as Record<string, string>;
    const fingerprint = (request.socket as TLSSocket).getPeerX509Certificate()?.fingerprint256;
    const { method = 'GET', url: path = '/' } = request;
    const body = chunks.length ? Buffer.concat(chunks).toString('utf8') : undefined;
    const signal = AbortSignal.any([gone.signal, this.closing.signal]);
    const answer = await this.pass({ method, path, headers, body, signal }, { authorization, fingerprint });
    response.writeHead(answer.status, answer.headers).flushHeaders();
    for await (const chunk of answer.chunks()) response.write(chunk);
    response.end();
  }
}
