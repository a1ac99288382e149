import { writeFile } from 'node:fs/promises';
import type { SecureContextOptions } from 'node:tls';
import { KopfBootstrapError } from '../../common/kopf.errors.js';
import type { AdmissionServerContext } from '../../reviews/admission-server.interface.js';
import type { AdmissionReviewer } from '../../reviews/admission.review.js';
import type { WebhookClientConfig } from '../../reviews/webhook-client.config.js';
import { sleep, untilAborted } from 'kube-common';
import { readCertificateFile } from '../certificates/certificate.files.js';
import type { ServerCertificate } from '../certificates/server.certificate.js';
import { ClientAuthorities, ClientIdentification } from './client.certificates.js';
import { ReviewEndpoint } from './review.endpoint.js';
import { chooseCertificates, type CompleteOptions } from './webhook-server.options.js';
import { accessibleHost, cleanNames, createServerUrl, normalizePath, serviceNames } from './webhook.address.js';
import { WebhookListener } from './webhook.listener.js';

/** One run of a webhook server, from its first listening until it has closed. */
export class WebhookServing {
  private readonly path: string;
  private readonly listener: WebhookListener;
  private readonly authorities: ClientAuthorities;
  /** Aborted when the caller has left the iteration, also if the operator does not stop. */
  private readonly left = new AbortController();
  private readonly signal: AbortSignal;
  private current?: ServerCertificate;
  private closing?: Promise<void>;

  constructor(
    private readonly options: CompleteOptions,
    review: AdmissionReviewer,
    private readonly context: AdmissionServerContext,
  ) {
    const { clock, logger } = context;
    this.path = normalizePath(options.path);
    const clients = new ClientIdentification(options.verifyMode);
    const identify = clients.identify.bind(clients);
    const endpoint = new ReviewEndpoint({ ...options, review, path: this.path, identify, clock, logger });
    const handle = endpoint.handle.bind(endpoint);
    this.listener = new WebhookListener({ ...options, handle, clock, logger });
    this.authorities = new ClientAuthorities({ ...options, interval: options.fileCheckInterval });
    this.signal = AbortSignal.any([context.signal, this.left.signal]);
  }

  /** Yields the address of the webhooks, at first and whenever it changes. */
  async *run(): AsyncGenerator<WebhookClientConfig, void, undefined> {
    const onAbort = (): void => void this.close();
    this.context.signal.addEventListener('abort', onAbort, { once: true });
    try {
      yield* this.options.insecure ? this.serveInsecurely() : this.serveSecurely();
      await untilAborted(this.signal);
    } finally {
      this.context.signal.removeEventListener('abort', onAbort);
      if (!this.context.signal.aborted) this.left.abort();
      await this.close();
      // The listener can have been opened after close() was called.
      await this.listener.close(this.options.closeTimeout);
    }
  }

  private async *serveInsecurely(): AsyncGenerator<WebhookClientConfig, void, undefined> {
    const { cafile, cadata } = this.options;
    const caBundle = cafile === undefined ? cadata : await readCertificateFile(cafile);
    await this.listener.listen();
    this.context.logger.debug('The server of webhooks does not use TLS, so Kubernetes itself cannot call it.');
    yield this.describe(caBundle);
  }

  private async *serveSecurely(): AsyncGenerator<WebhookClientConfig, void, undefined> {
    const context = { ...this.context, signal: this.signal };
    await this.authorities.load();
    const following = this.authorities.follow(() => this.secure(), context);
    for await (const certificate of chooseCertificates(this.options).provide(this.listNames(), context)) {
      const previous = this.current;
      this.current = certificate;
      if (previous) this.secure();
      else await this.listener.listen(this.createTlsOptions(certificate));
      if (previous && previous.caBundle === certificate.caBundle) continue;
      await this.dump(certificate.caBundle);
      yield this.describe(certificate.caBundle);
    }
    await following;
  }

  private secure(): void {
    if (this.current) this.listener.secure(this.createTlsOptions(this.current));
  }

  private createTlsOptions({ certificate, privateKey, password }: ServerCertificate): SecureContextOptions {
    const { minVersion, maxVersion, ciphers, ecdhCurve, sigalgs } = this.options.tls ?? {};
    const limits = { minVersion, maxVersion, ciphers, ecdhCurve, sigalgs };
    return { ...limits, cert: certificate, key: privateKey, passphrase: password, ca: this.authorities.current };
  }

  private async dump(caBundle: string | undefined): Promise<void> {
    const { cadump } = this.options;
    if (cadump === undefined || caBundle === undefined) return;
    await writeFile(cadump, caBundle);
    this.context.logger.debug(`The authorities of the webhooks' certificate are in ${cadump}.`);
  }

  private describe(pem: string | undefined): WebhookClientConfig {
    const { service, host, addr, insecure } = this.options;
    const { port } = this.listener;
    const caBundle = pem && Buffer.from(pem).toString('base64');
    const place: WebhookClientConfig = service
      ? { service: { ...service, namespace: this.namespace, path: this.path || undefined } }
      : { url: createServerUrl(insecure ? 'http' : 'https', host ?? accessibleHost(addr), port, this.path) };
    const url = place.url ?? `the service ${place.service?.namespace}/${place.service?.name}${this.path}`;
    this.context.logger.debug(`Listening for webhooks at port ${port}; they are called at ${url}.`);
    return caBundle ? { ...place, caBundle } : place;
  }

  private listNames(): readonly string[] {
    const { service, host, addr, extraSans = [] } = this.options;
    const own = service ? serviceNames(service.name, this.namespace) : [host ?? accessibleHost(addr)];
    return cleanNames([...own, accessibleHost(addr), ...extraSans]);
  }

  /** The namespace of the service: by default, the operator's. */
  private get namespace(): string {
    const namespace = this.options.service?.namespace ?? this.context.api.defaultNamespace;
    if (namespace) return namespace;
    throw new KopfBootstrapError([
      'The namespace of the service of the webhooks is not known; name it in the options.',
    ]);
  }

  private close(): Promise<void> {
    this.closing ??= this.closeGently();
    return this.closing;
  }

  private async closeGently(): Promise<void> {
    const { closeDelay, closeTimeout } = this.options;
    if (closeDelay && this.context.signal.aborted) {
      this.listener.drain();
      await sleep(this.context.clock, closeDelay);
    }
    await this.listener.close(closeTimeout);
  }
}
