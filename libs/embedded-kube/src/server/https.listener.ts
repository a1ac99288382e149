import { once } from 'node:events';
import { type IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { tooLarge } from '../errors/status.errors.js';
import type { Logger } from '../common/logger.js';
import { ClientCertificates } from './client.certificate.js';
import type { ApiResponse, RequestHandler } from './api.request.js';
import { BODY_LIMIT } from './api.server.js';

/** The part of a body that is read although it is too large, in bytes: many clients read no answer before they have sent all of it. */
const DRAIN_LIMIT = 16 * BODY_LIMIT;

/** A certificate with its key, in PEM. */
export interface ServerCertificate {
  readonly certificate: string;
  readonly privateKey: string;
  /** The authority that signs the certificates of clients. */
  readonly caCertificate: string;
}

/** The HTTPS server: passes requests to the API server, and writes the answers. */
export class HttpsListener {
  private server: Server | undefined;
  private readonly certificates = new ClientCertificates();
  /** The connections that have changed from HTTP to another protocol. */
  private readonly upgraded = new Set<Duplex>();

  constructor(
    private readonly api: RequestHandler,
    private readonly logger: Logger,
  ) {}

  /** @returns the port @throws Error if the port is taken */
  async listen(
    host: string,
    port: number,
    { certificate, privateKey, caCertificate }: ServerCertificate,
  ): Promise<number> {
    const server = createServer({
      cert: certificate,
      key: privateKey,
      // Clients may present certificates, and come with tokens otherwise.
      ca: caCertificate,
      requestCert: true,
      rejectUnauthorized: false,
      keepAliveTimeout: 60_000,
      requestTimeout: 0,
    });
    this.server = server;
    server.on('request', (request, response) => {
      this.exchange(request, response).catch((error: unknown) => {
        this.logger.debug(`A connection broke: ${String(error)}`);
        // What was sent before it broke is to arrive.
        if (response.socket) response.socket.destroySoon();
        else response.destroy();
      });
    });
    server.on('upgrade', (request: IncomingMessage, connection: Duplex, head: Buffer) => {
      connection.on('error', () => undefined);
      this.upgrade(request, connection, head).catch((error: unknown) => {
        this.logger.debug(`A connection broke: ${String(error)}`);
        connection.destroy();
      });
    });
    server.listen(port, host);
    await once(server, 'listening');
    server.on('error', (error) => this.logger.error(`HTTPS: ${error.message}`));
    return (server.address() as AddressInfo).port;
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    for (const connection of this.upgraded) connection.destroy();
    await closed;
  }

  private async exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await readBody(request);
    if (bytes === undefined) {
      const status = JSON.stringify(tooLarge(BODY_LIMIT).toStatus());
      response.writeHead(413, { 'content-type': 'application/json', connection: 'close' }).end(status);
      // What still comes is thrown away, so that the answer is not lost by a reset of the connection.
      request.on('error', () => undefined).resume();
      return;
    }
    await this.answer(encoded(await this.handle(request, bytes, response)), request, response);
  }

  /** Answers a request to change the protocol, or any other request with the headers for it. */
  private async upgrade(request: IncomingMessage, connection: Duplex, head: Buffer): Promise<void> {
    const answer = encoded(await this.handle(request, Buffer.alloc(0), connection));
    if (answer.upgrade) {
      const headers = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}\r\n`);
      connection.write(`HTTP/1.1 ${answer.status} Switching Protocols\r\n${headers.join('')}\r\n`);
      this.upgraded.add(connection);
      connection.once('close', () => this.upgraded.delete(connection));
      answer.upgrade(connection, head, answer.body);
      return;
    }
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(connection as Socket);
    response.on('finish', () => connection.end());
    await this.answer(answer, request, response);
  }

  private handle(request: IncomingMessage, bytes: Buffer, client: ServerResponse | Duplex): Promise<ApiResponse> {
    const headers = headersOf(request);
    const body = headers['content-type']?.includes('protobuf') ? bytes : bytes.toString('utf8');
    const onGone = (listener: () => void): void => {
      if (client.destroyed) listener();
      else client.once('close', listener);
    };
    const { method = 'GET', url: path = '/' } = request;
    const certificate = this.certificates.of(request.socket as TLSSocket);
    return this.api.handle({ method, path, headers, body, onGone, ...(certificate && { certificate }) });
  }

  private async answer({ status, headers, body }: ApiResponse, request: IncomingMessage, response: ServerResponse) {
    if (typeof body === 'string') {
      response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
      // Node gives a text and the headers before it one encoding, and the headers are encoded already.
      const sent = headers['warning'] === undefined ? body : Buffer.from(body);
      response.end(request.method === 'HEAD' ? undefined : sent);
      return;
    }
    const end = (): void => void body.return?.();
    response.on('close', end);
    if (response.destroyed) end();
    response.writeHead(status, headers);
    // The client is to know at once that its watch is open, also if nothing happens.
    response.flushHeaders();
    for await (const chunk of body) {
      if (!response.write(chunk) && !response.destroyed) await drained(response);
    }
    response.end();
  }
}

/** Returns the headers of a request. Node joins the values of a header by commas, which the names of groups may contain. */
function headersOf(request: IncomingMessage): Record<string, string | undefined> {
  const headers = request.headers as Record<string, string | undefined>;
  const names = Object.keys(headers).filter((name) => name.startsWith('impersonate-'));
  if (names.length === 0) return headers;
  const distinct = names.map((name) => {
    const values = request.headersDistinct[name] ?? [];
    return [name, Buffer.from(values.join('\n'), 'latin1').toString('utf8')];
  });
  return { ...headers, ...Object.fromEntries(distinct) };
}

/** Encodes a warning for the headers, which are sent byte by byte: what is not ASCII has to be bytes already. */
function encoded(answer: ApiResponse): ApiResponse {
  const { warning } = answer.headers;
  if (warning === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, warning: Buffer.from(warning, 'utf8').toString('latin1') } };
}

/**
 * Reads a body to its end, or far beyond the limit.
 *
 * @returns `undefined` if it is too large
 * @throws Error if the client goes
 */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  let chunks: Buffer[] = [];
  let size = 0;
  // Leaving the iteration early must not destroy the connection, which is to carry an answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>) {
    size += chunk.length;
    if (size > DRAIN_LIMIT) return undefined;
    if (size > BODY_LIMIT) chunks = [];
    else chunks.push(chunk);
  }
  return size > BODY_LIMIT ? undefined : Buffer.concat(chunks);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
