import { once } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { firstValueFrom, fromEvent, race } from 'rxjs';
import type { AdmissionReviewer } from '../../reviews/admission.review.js';
import type { AdmissionServerContext, AdmissionServerDescription } from '../../reviews/admission-server.interface.js';
import type { ApplicationServer } from '../servers/admission.servers.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
import type { WebhookClientConfig } from '../../reviews/webhook-client.config.js';
import { type KopfAdmissionAddress, ADMISSION_ADDRESS } from './admission.options.js';
import { AdmissionRoute } from './admission.route.js';

/** The application itself as the server of webhooks, which serves as soon as it listens. */
@Injectable()
export class HostServer implements ApplicationServer {
  private announced = false;

  constructor(
    @Inject(ADMISSION_ADDRESS) private readonly address: KopfAdmissionAddress,
    @Inject(AdmissionRoute) private readonly route: AdmissionRoute,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
  ) {}

  /** Whether the application has an HTTP server. A standalone application and a microservice have none. */
  get hasHost(): boolean {
    return Boolean(this.host.httpAdapter as HttpAdapterHost['httpAdapter'] | null | undefined);
  }

  /** The reason why webhooks cannot be managed; `undefined` if they can. */
  get configurationError(): string | undefined {
    const { url, service } = this.address;
    if (url !== undefined || service !== undefined) return undefined;
    return 'admission.managed needs the option url or service of KopfAdmissionModule, to say where webhooks are';
  }

  describe(): AdmissionServerDescription {
    const { service, caBundle } = this.address;
    return { service: service && { ...service, path: this.route.base }, caBundle };
  }

  expectedAddress(): WebhookClientConfig | undefined {
    return this.configurationError === undefined ? this.createConfig() : undefined;
  }

  async *serve(
    _review: AdmissionReviewer,
    { signal, logger }: AdmissionServerContext,
  ): AsyncGenerator<WebhookClientConfig, void, undefined> {
    if (signal.aborted) return;
    const aborted = fromEvent(signal, 'abort');
    if (!this.host.listening) await firstValueFrom(race(this.host.listen$, aborted), { defaultValue: undefined });
    if (signal.aborted) return;
    if (!this.configurationError) {
      const config = this.createConfig();
      this.announcePath(config, logger);
      yield config;
    }
    if (!signal.aborted) await once(signal, 'abort');
  }

  /** Logs once that a path is added to the option `url`, so that a wrong option is noticed. */
  private announcePath({ url }: WebhookClientConfig, logger: KopfLogger): void {
    if (this.announced || url === undefined || url === withoutSlash(this.address.url!)) return;
    this.announced = true;
    const { base } = this.route;
    logger.log(`The path of the admission controller, ${base}, is added to the option url: webhooks are at ${url}.`);
  }

  private createConfig(): WebhookClientConfig {
    const { url, service, caBundle } = this.address;
    const { base } = this.route;
    return {
      ...(url !== undefined && { url: addPath(url, base) }),
      ...(service !== undefined && { service: { ...service, path: base } }),
      ...(caBundle !== undefined && { caBundle: toBase64(caBundle) }),
    };
  }
}

/** Adds the path of the controller to the URL of the application, unless the URL ends with it already. */
function addPath(url: string, path: string): string {
  const given = withoutSlash(url);
  return new URL(given).pathname.endsWith(path) ? given : given + path;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

/** Encodes a certificate in PEM; one that is encoded already stays as it is. */
export function toBase64(certificate: string): string {
  return certificate.includes('-----BEGIN') ? Buffer.from(certificate).toString('base64') : certificate;
}
