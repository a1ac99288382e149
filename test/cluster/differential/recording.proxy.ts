import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ControlPlane } from '../../support/clusters/control-plane.js';
import type { CallEntry, InstanceLog, WriteEntry } from './instance.log.js';

/** Who is behind a path of the proxy, and decides what becomes of its calls and writes. */
export interface Recorded {
  /** Tells whether nothing of it is answered or noted any more. */
  readonly isDead: boolean;
  readonly log: InstanceLog;
  readonly namespace: string;
  readonly plural: string;
  /** Resolves when the handler may go on; never, if the operator is dead. */
  passCall(): Promise<void>;
  /** Resolves when the request may go to the server; never, if the operator is dead. */
  passWrite(): Promise<void>;
  /** Resolves when the answer may go to the operator; never, if the operator is dead. */
  passAnswer(): Promise<void>;
}

/** Where a process gets its commands from, and tells which it has carried out. */
export interface CommandSource {
  /** The commands after the one with the number, as soon as there are any. */
  next(after: number): Promise<readonly object[]>;
  finish(done: number): void;
}

/**
 * Stands between the operators and the API server, on the loopback interface: each operator has a path of its own, by which its
 * requests are told apart. Handlers tell here that they are called, so that calls and writes are seen in their order.
 */
export class RecordingProxy {
  /** The operators, by the first part of their paths. */
  readonly instances = new Map<string, Recorded>();
  /** The processes, by their names. */
  readonly processes = new Map<string, CommandSource>();
  private readonly agent: Agent;
  private server?: Server;

  constructor(private readonly cluster: ControlPlane) {
    this.agent = new Agent({ ca: readFileSync(cluster.caFile), keepAlive: true });
  }

  async start(): Promise<void> {
    this.server = createServer((incoming, response) => {
      // An operator that is killed breaks its connections: there is nobody to tell.
      this.serve(incoming, response).catch((error) => response.destroy(error as Error));
    });
    // Clients keep connections for longer than the server would, and must not find them closed.
    this.server.keepAliveTimeout = 0;
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server!.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server?.close();
    this.server?.closeAllConnections();
    this.agent.destroy();
    await Promise.resolve();
  }

  private async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search, searchParams } = new URL(incoming.url!, this.url);
    const [, first, second] = pathname.split('/');
    if (first === 'commands') {
      const source = this.processes.get(second);
      if (incoming.method === 'POST') source?.finish(Number(searchParams.get('done')));
      response.end(
        JSON.stringify(incoming.method === 'GET' && source ? await source.next(Number(searchParams.get('after'))) : []),
      );
      return;
    }
    const instance = this.instances.get(first);
    // An operator that was killed gets no answer, and leaves no trace.
    if (!instance || instance.isDead) return;
    if (second === 'calls') {
      await this.serveCall(instance, JSON.parse(await readAll(incoming)) as object, response);
    } else {
      await this.forward(instance, pathname.slice(first.length + second.length + 2) + search, incoming, response);
    }
  }

  private async serveCall(instance: Recorded, details: object, response: ServerResponse): Promise<void> {
    const { log } = instance;
    const call = { type: 'call', ...details } as CallEntry;
    log.add(call);
    log.pending++;
    await instance.passCall();
    log.pending--;
    log.touch();
    response.end('{}');
  }

  private async forward(
    instance: Recorded,
    path: string,
    incoming: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const body = await readAll(incoming);
    const write = incoming.method === 'GET' ? undefined : makeWrite(instance, path, incoming, body);
    const known = instance.log.knownVersions;
    if (write) {
      instance.log.add(write);
      instance.log.pending++;
      await instance.passWrite();
    }
    const { accept, 'content-type': contentType } = incoming.headers;
    const headers = {
      authorization: `Bearer ${this.cluster.token}`,
      ...(accept && { accept }),
      ...(contentType && { 'content-type': contentType }),
    };
    const outgoing = request(this.cluster.url + path, { method: incoming.method, headers, agent: this.agent });
    response.on('close', () => outgoing.destroy());
    outgoing.end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    if (write) {
      write.status = answer.statusCode;
      const text = await readAll(answer);
      instance.log.noteAnswer(text, known);
      await instance.passAnswer();
      instance.log.pending--;
      instance.log.touch();
      response.writeHead(answer.statusCode!, { 'content-type': answer.headers['content-type'] }).end(text);
      return;
    }
    response.writeHead(answer.statusCode!, { 'content-type': answer.headers['content-type'] });
    if (isOfObjects(instance, path)) {
      response.flushHeaders();
      if (path.includes('watch=')) followWatch(instance, answer);
      else followList(instance.log, answer);
    }
    answer.pipe(response);
  }
}

/** Tells whether the objects of the program are listed or watched. */
function isOfObjects({ plural }: Recorded, path: string): boolean {
  return path.split('?')[0].endsWith(`/${plural}`);
}

/** Notes which version of the only object the operator gets with the list. */
function followList(log: InstanceLog, stream: IncomingMessage): void {
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => (text += chunk));
  stream.on('end', () => {
    const { items = [] } = JSON.parse(text) as { items?: readonly { metadata: { resourceVersion: string } }[] };
    log.deliver(items.length ? items[0].metadata.resourceVersion : 'deleted');
  });
}

/** Notes which version of the object was sent to the operator last. */
function followWatch(instance: Recorded, stream: IncomingMessage): void {
  const { log } = instance;
  let rest = '';
  log.watches++;
  log.touch();
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    if (instance.isDead) return;
    log.touch();
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      const { type, object } = JSON.parse(line) as { type: string; object: { metadata: { resourceVersion: string } } };
      if (type === 'DELETED') log.deliver('deleted');
      else if (type !== 'BOOKMARK' && type !== 'ERROR') log.deliver(object.metadata.resourceVersion);
    }
  });
}

function makeWrite(instance: Recorded, path: string, incoming: IncomingMessage, body: string): WriteEntry {
  return {
    type: 'write',
    method: incoming.method!,
    path: path.replace(instance.namespace, '<NS>'),
    contentType: incoming.headers['content-type'],
    body: body ? (JSON.parse(body) as unknown) : undefined,
  };
}

async function readAll(stream: IncomingMessage): Promise<string> {
  stream.setEncoding('utf8');
  let text = '';
  for await (const chunk of stream) text += chunk as string;
  return text;
}
