import { once } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { firstValueFrom, fromEvent, race } from 'rxjs';
import type { AdmissionReviewer } from '../interfaces/admission.interface.js';
import type { AdmissionServer, AdmissionServerContext } from '../interfaces/admission-server.interface.js';
import type { WebhookClientConfig } from '../interfaces/webhook-client-config.interface.js';
import type { KopfAdmissionAddress } from './admission.options.js';
import { AdmissionRoute } from './admission.route.js';
import { ADMISSION_ADDRESS } from './admission.tokens.js';

/** The application itself as the server of webhooks: it serves as soon as it listens. */
@Injectable()
export class HostServer implements AdmissionServer {
  constructor(
    @Inject(ADMISSION_ADDRESS) private readonly address: KopfAdmissionAddress,
    @Inject(AdmissionRoute) private readonly route: AdmissionRoute,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
  ) {}

  /** Why webhooks cannot be managed, if they cannot. */
  get obstacle(): string | undefined {
    const { url, service } = this.address;
    if (url !== undefined || service !== undefined) return undefined;
    return 'admission.managed needs the option url or service of KopfAdmissionModule, to say where webhooks are';
  }

  async *serve(
    _review: AdmissionReviewer,
    { signal }: AdmissionServerContext,
  ): AsyncGenerator<WebhookClientConfig, void, undefined> {
    if (signal.aborted) return;
    const aborted = fromEvent(signal, 'abort');
    if (!this.host.listening) await firstValueFrom(race(this.host.listen$, aborted), { defaultValue: undefined });
    if (signal.aborted) return;
    if (!this.obstacle) yield this.makeConfig();
    if (!signal.aborted) await once(signal, 'abort');
  }

  private makeConfig(): WebhookClientConfig {
    const { url, service, caBundle } = this.address;
    const { base } = this.route;
    return {
      ...(url !== undefined && { url: url.replace(/\/+$/, '') + base }),
      ...(service !== undefined && { service: { ...service, path: base } }),
      ...(caBundle !== undefined && { caBundle: toBase64(caBundle) }),
    };
  }
}

function toBase64(certificate: string): string {
  return certificate.includes('-----BEGIN') ? Buffer.from(certificate).toString('base64') : certificate;
}
