import { once } from 'node:events';
import {
  connect,
  createServer,
  type ClientHttp2Session,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';

const WATCH = '/etcdserverpb.Watch/Watch';

/** A piece of network between an API server and its etcd, which can hold back what watches are told, and nothing else. */
export class EtcdProxy {
  private readonly server: Http2Server = createServer();
  private readonly upstreams = new Map<ServerHttp2Session, ClientHttp2Session>();
  private held: (() => void)[] | undefined;

  private constructor(private readonly target: string) {}

  /** Starts a proxy to the etcd at a port of the loopback address. */
  static async start(port: number): Promise<EtcdProxy> {
    const proxy = new EtcdProxy(`http://127.0.0.1:${port}`);
    proxy.server.on('session', (session) => proxy.link(session));
    proxy.server.on('stream', (stream, headers) => proxy.pass(stream, headers));
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Holds back the answers of watches from now on. */
  hold(): void {
    this.held ??= [];
  }

  /** Passes what was held back, and whatever comes. */
  release(): void {
    const { held = [] } = this;
    this.held = undefined;
    for (const pass of held) pass();
  }

  stop(): void {
    for (const [session, upstream] of this.upstreams) {
      session.destroy();
      upstream.destroy();
    }
    this.server.close();
  }

  private link(session: ServerHttp2Session): void {
    const upstream = connect(this.target);
    this.upstreams.set(session, upstream);
    upstream.on('error', () => session.destroy());
    session.on('error', () => upstream.destroy());
    session.on('close', () => upstream.close());
  }

  private pass(stream: ServerHttp2Stream, { ':scheme': _, ...headers }: IncomingHttpHeaders): void {
    const request = this.upstreams.get(stream.session as ServerHttp2Session)!.request(headers);
    const isWatch = headers[':path'] === WATCH;
    const inTime = (action: () => void): void => {
      if (isWatch && this.held) this.held.push(action);
      else action();
    };
    let trailers: IncomingHttpHeaders = {};
    request.on('response', (answer) => stream.respond(answer, { waitForTrailers: true }));
    request.on('trailers', (last) => (trailers = last));
    request.on('data', (chunk: Buffer) => inTime(() => void stream.write(chunk)));
    request.on('end', () => inTime(() => void stream.end()));
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    stream.on('data', (chunk: Buffer) => request.write(chunk));
    stream.on('end', () => request.end());
    request.on('error', () => stream.close());
    stream.on('error', () => request.close());
    stream.on('close', () => request.close());
  }
}
