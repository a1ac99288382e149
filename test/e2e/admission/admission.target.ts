import { Agent, request } from 'node:http';
import type { Provider } from '@nestjs/common';
import type { KopfModuleOptions } from 'nestjs-kopf';
import { WebhookServer } from 'nestjs-kopf/webhooks';
import { AdmissionApplication, type Platform } from '../../support/webhooks/admission.application.js';
import { eventually } from '../../support/time/eventually.js';
import { OperatorHarness } from '../../support/operators/operator.harness.js';

/** Who answers reviews: our own server of webhooks, or the controller in an application. */
export type Target = 'server' | Platform;

export const TARGETS: readonly Target[] = ['server', 'express', 'fastify'];

/** The response of a target. */
export interface TargetAnswer {
  readonly status: number;
  readonly text: string;
  /** The parsed text, if it is JSON. */
  readonly body: any;
}

/** A request to a target; by default, JSON by POST. */
export interface TargetRequest {
  readonly method?: string;
  /** Sent as it is if it is a text. */
  readonly body?: unknown;
  /** Added to those of JSON; those with `undefined` are left out. */
  readonly headers?: Record<string, string | undefined>;
}

/** An operator whose handlers are asked over real HTTP; closed with the test. */
export class AdmissionTarget {
  /** Keeps connections, as API servers do. */
  readonly agent = new Agent({ keepAlive: true, maxSockets: 100 });

  private constructor(
    readonly application: AdmissionApplication,
    /** Where the reviews are sent to, without the handler. */
    readonly base: string,
  ) {
    onTestFinished(() => this.agent.destroy());
  }

  static async start(target: Target, handlers: Provider, options: KopfModuleOptions = {}): Promise<AdmissionTarget> {
    const { kube } = await OperatorHarness.start();
    const isServer = target === 'server';
    const server = isServer ? new WebhookServer({ addr: '127.0.0.1', insecure: true }) : undefined;
    const application = await AdmissionApplication.start({
      kube,
      platform: isServer ? 'express' : target,
      admission: isServer ? false : {},
      providers: [handlers],
      kopf: { ...options, admission: { server, ...options.admission } },
    });
    if (!isServer) return new AdmissionTarget(application, `${application.url}/admission`);
    const base = await eventually('the server listens', () => {
      const lines = application.logger.messages('log').join('\n');
      return /Reviews are served at (http:\S+)\./.exec(lines)?.[1];
    });
    return new AdmissionTarget(application, base);
  }

  get<T>(provider: abstract new (...args: any[]) => T): T {
    return this.application.app.get(provider as never);
  }

  /** Sends a review, or anything else. */
  send(path: string, { method = 'POST', body, headers }: TargetRequest = {}): Promise<TargetAnswer> {
    const all = Object.entries({ 'content-type': 'application/json', ...headers });
    const sent = request(this.base + path, {
      method,
      agent: this.agent,
      headers: Object.fromEntries(all.filter(([, value]) => value !== undefined)),
    });
    return new Promise((resolve, reject) => {
      sent.once('error', reject).once('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.once('error', reject).once('end', () => {
          const isJson = response.headers['content-type']?.startsWith('application/json') && text !== '';
          resolve({ status: response.statusCode!, text, body: isJson ? JSON.parse(text) : undefined });
        });
      });
      sent.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
    });
  }
}
