import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { ActivityKind, ActivityRunner, HandlerRegistry, Probe } from 'nestjs-kopf/tooling';
import type { KopfLogger } from 'nestjs-kopf';
import type { Clock } from 'kube-common';
import { UsageError } from './exit.codes.js';

/** The tools of a {@link LivenessServer}. */
export interface LivenessOptions {
  readonly registry: HandlerRegistry;
  readonly runner: ActivityRunner;
  readonly clock: Clock;
  readonly logger: KopfLogger;
}

/** As in Kopf: a report is used for ten seconds. */
const LIMITS = { lifetime: 10, timeout: 30 };

/**
 * The server of the liveness probe of `kopf run --liveness`, which answers with the results of the `@OnProbe` handlers by their ids, and
 * with the status 500 if any has failed. Applications have `KopfHealthModule`, which knows much more.
 */
export class LivenessServer {
  private readonly closing = new AbortController();
  private readonly server: Server;
  private readonly probes: readonly Probe[];

  constructor(
    private readonly url: URL,
    { registry, runner, clock, logger }: LivenessOptions,
  ) {
    this.probes = registry
      .activitiesOf(ActivityKind.PROBE)
      .map((handler) => new Probe(handler, runner, clock, logger, LIMITS, this.closing.signal));
    this.server = createServer((request, response) => {
      const path = new URL(request.url ?? '/', this.url).pathname;
      if (path !== this.url.pathname) return void response.writeHead(404).end();
      void this.check().then(({ isAlive, body }) =>
        response.writeHead(isAlive ? 200 : 500, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      );
    });
  }

  async start(): Promise<void> {
    const { hostname, port } = this.url;
    this.server.listen(Number(port || 80), hostname.replace(/^\[|\]$/g, ''));
    await once(this.server, 'listening');
  }

  /** The port that it listens on. */
  get port(): number {
    const address = this.server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  async stop(): Promise<void> {
    this.closing.abort();
    if (!this.server.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async check(): Promise<{ isAlive: boolean; body: object }> {
    const reports = await Promise.all(this.probes.map(async (probe) => [probe.id, await probe.check()] as const));
    return {
      isAlive: reports.every(([, { error }]) => !error),
      body: Object.fromEntries(
        reports.map(([id, { result, error }]) => [id, error ? error.message : (result ?? null)]),
      ),
    };
  }
}

/** @throws UsageError if it is not an address of HTTP. */
export function parseLivenessUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:') return url;
  throw new UsageError(`--liveness must be a URL such as http://0.0.0.0:8080/healthz, not ${JSON.stringify(text)}.`);
}
