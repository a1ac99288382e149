import type { AdmissionServer, AdmissionServerContext } from '../../reviews/admission-server.interface.js';
import type { AdmissionReviewer } from '../../reviews/admission.review.js';
import type { WebhookClientConfig } from '../../reviews/webhook-client.config.js';
import { errorText } from 'kube-common';
import { checkServerOptions, ListeningRules, type ListeningOptions } from './webhook-server.options.js';
import { isText, Rule } from '../../settings/option.validation.js';
import { normalizePath } from './webhook.address.js';
import { WebhookServer } from './webhook.server.js';
import { KopfBootstrapError } from '../../common/kopf.errors.js';
import { detectLocalHost } from './cluster.facts.js';

/** The options of a tunnel through ngrok, and of its local end. */
export interface WebhookNgrokTunnelOptions extends ListeningOptions {
  /** The token of an account at ngrok. @default the one of the environment variable `NGROK_AUTHTOKEN` */
  readonly token?: string;
  /** A domain that is reserved for the account: `my-operator.ngrok.app`. @default a random one */
  readonly domain?: string;
}

/** The rules of the options. */
class TunnelRules extends ListeningRules implements Record<keyof WebhookNgrokTunnelOptions, unknown> {
  @Rule(isText) token: unknown;
  @Rule(isText) domain: unknown;
}

/**
 * A tunnel through ngrok to the operator, for clusters that cannot reach the machine of the developer.
 *
 * It needs the package `@ngrok/ngrok`. It is for development only: everyone who knows the URL can send reviews to the operator. A random
 * path makes the URL harder to guess.
 *
 * @example
 * new WebhookNgrokTunnel({ token: process.env.NGROK_AUTHTOKEN, path: '/xyz' });
 */
export class WebhookNgrokTunnel implements AdmissionServer {
  /** The options; private, as the token must not be shown when the server is printed. */
  readonly #options: WebhookNgrokTunnelOptions;

  constructor(
    options: WebhookNgrokTunnelOptions = {},
    private readonly load: () => Promise<Ngrok> = loadNgrok,
  ) {
    this.#options = options;
  }

  /** @throws KopfBootstrapError if options are wrong, or the package is not installed. */
  async *serve(
    review: AdmissionReviewer,
    context: AdmissionServerContext,
  ): AsyncGenerator<WebhookClientConfig, void, undefined> {
    checkServerOptions('WebhookNgrokTunnel', TunnelRules, this.#options);
    const { path, port, addr = '127.0.0.1' } = this.#options;
    const ngrok = await this.load();
    let tunnel: NgrokListener | undefined;
    try {
      // The tunnel has its own certificates, and the connection between both ends stays on this machine.
      for await (const { url } of new WebhookServer({ addr, port, path, insecure: true }).serve(review, context)) {
        tunnel = await this.open(ngrok, new URL(url!).host);
        const base = tunnel.url()?.replace(/\/+$/, '');
        if (!base) throw new Error('The tunnel of ngrok has no URL.');
        context.logger.debug(`The webhooks are called at ${base}, through ngrok.`);
        yield { url: `${base}${normalizePath(path)}` };
      }
    } finally {
      await this.close(tunnel, context);
    }
  }

  private open(ngrok: Ngrok, addr: string): Promise<NgrokListener> {
    const { token, domain } = this.#options;
    const login = token === undefined ? { authtoken_from_env: true } : { authtoken: token };
    return ngrok.forward({ addr, proto: 'http', schemes: ['https'], ...login, ...(domain && { domain }) });
  }

  private async close(tunnel: NgrokListener | undefined, { logger }: AdmissionServerContext): Promise<void> {
    try {
      await tunnel?.close();
    } catch (error) {
      logger.warn(`The tunnel of ngrok could not be closed: ${errorText(error)}`);
    }
  }
}

/** The members of `@ngrok/ngrok` that are used here. */
export interface Ngrok {
  forward(options: Readonly<Record<string, unknown>>): Promise<NgrokListener>;
}

/** An open tunnel. */
export interface NgrokListener {
  url(): string | null;
  close(): Promise<void>;
}

/** The name of the optional package, typed as a string so that the compiler does not resolve it. */
const PACKAGE: string = '@ngrok/ngrok';

/**
 * Loads the package of ngrok.
 *
 * @throws KopfBootstrapError if it is not installed, or does not work on this machine.
 */
export async function loadNgrok(): Promise<Ngrok> {
  try {
    const module = (await import(PACKAGE)) as Ngrok & { readonly default?: Ngrok };
    return module.default ?? module;
  } catch (error) {
    const why = errorText(error).split('\n', 1)[0];
    throw new KopfBootstrapError([`A tunnel of ngrok needs its package, npm install ${PACKAGE}: ${why}`]);
  }
}

/**
 * A server for a cluster of a known kind on the same machine; a tunnel through ngrok for any other cluster.
 *
 * @example
 * new WebhookAutoTunnel({ token: process.env.NGROK_AUTHTOKEN });
 */
export class WebhookAutoTunnel implements AdmissionServer {
  constructor(
    private readonly options: WebhookNgrokTunnelOptions = {},
    private readonly load: () => Promise<Ngrok> = loadNgrok,
  ) {}

  /** @throws KopfBootstrapError if options are wrong, or a tunnel is needed and the package of ngrok is not installed. */
  async *serve(
    review: AdmissionReviewer,
    context: AdmissionServerContext,
  ): AsyncGenerator<WebhookClientConfig, void, undefined> {
    checkServerOptions('WebhookAutoTunnel', TunnelRules, this.options);
    const { addr, port, path } = this.options;
    const host = await detectLocalHost(context.cluster);
    context.logger.debug(
      host ? `The cluster calls this machine ${host}.` : 'The cluster is none that is known: tunneling.',
    );
    const server = host
      ? new WebhookServer({ addr, port, path, host })
      : new WebhookNgrokTunnel(this.options, this.load);
    yield* server.serve(review, context);
  }
}
