import { LinkedSignal } from '../common/linked.signal.js';
import { ConfigurationRepair } from '../admission/configuration/configuration.repair.js';
import type { WebhookClientConfig } from '../reviews/webhook-client.config.js';
import { ApiForbiddenError, ApiNotFoundError } from '../client/api/api.errors.js';
import type { WatchEnvironment } from '../client/watch/watch.environment.js';
import { Backoff } from '../common/backoff.js';
import { errorText, Signal } from 'kube-common';
import type { KubeObject } from '../objects/kube-object.js';
import { CRDS } from '../watching/well-known.resources.js';
import { removeConversion, writePathOf } from './conversion.removal.js';
import { conversionClientOf, createConversionStanza } from './conversion.stanza.js';

/** Seconds until the next attempt to write; the last one repeats. */
const RETRY_DELAYS = [1, 2, 5, 10, 30];

/**
 * The manager of the conversion webhook in one CRD: it writes the webhook when the operator starts, when the address or the certificate
 * changes, and when another client has changed it.
 */
export class ConversionManager {
  private readonly changed = new Signal();
  private readonly title: string;
  /** The patch that was sent last, whether it was stored or not. */
  private written?: string;

  constructor(
    private readonly name: string,
    private config: WebhookClientConfig,
    private readonly environment: WatchEnvironment,
  ) {
    this.title = `CRD ${name}`;
  }

  /** Sets the address and the certificate of the webhooks. */
  update(config: WebhookClientConfig): void {
    this.config = config;
    if (JSON.stringify(this.createPatch()) !== this.written) this.changed.raise();
  }

  /**
   * Writes the conversion whenever it differs, until the signal is aborted. Failures are retried.
   *
   * @param onFirst called after the first attempt.
   * @param hard aborted when requests in progress are not waited for any longer.
   * @throws ApiForbiddenError if the operator is not allowed to write CRDs.
   */
  async run(signal: AbortSignal, hard: AbortSignal, onFirst: () => void): Promise<void> {
    const { clock, settings } = this.environment;
    const repair = this.createRepair();
    const ended = new LinkedSignal(signal);
    const backoff = new Backoff(() => RETRY_DELAYS);
    let watching: Promise<void> | undefined;
    try {
      while (!signal.aborted) {
        let delay: number | undefined = settings.admission.refreshInterval || undefined;
        if (await this.attempt(repair, hard)) {
          backoff.reset();
          watching ??= repair.run(ended.signal);
        } else delay = backoff.next();
        onFirst();
        await this.changed.wait(clock, delay, signal);
      }
    } finally {
      onFirst();
      ended.abort();
      await watching;
    }
  }

  /** Sets the strategy to None, if the webhook is still that of this operator. Never rejects. */
  release(hard: AbortSignal): Promise<void> {
    return removeConversion(this.name, this.environment, hard, (definition) => this.isOurs(definition));
  }

  private async attempt(repair: ConfigurationRepair, hard: AbortSignal): Promise<boolean> {
    const { api, logger } = this.environment;
    const patch = this.createPatch();
    const text = JSON.stringify(patch);
    try {
      // A request that was aborted may have been stored all the same.
      const isNew = text !== this.written;
      // A permission that is missing at the start is reported at once; one that is lost later may come back, for example when a role is
      // replaced.
      const retries = this.written === undefined ? 'transient' : 'default';
      this.written = text;
      repair.agree(await api.patch<KubeObject>(writePathOf(this.name), 'merge', patch, { signal: hard, retries }));
      if (isNew) logger.log(`The ${this.title} has the conversion webhook of this operator.`);
      return true;
    } catch (error) {
      if (hard.aborted) return true;
      if (error instanceof ApiForbiddenError) throw this.explain(error);
      const reason = error instanceof ApiNotFoundError ? 'it does not exist' : errorText(error);
      logger.error(`The conversion webhook of the ${this.title} could not be written, which is tried again: ${reason}`);
      return false;
    }
  }

  /** Creates the patch; a `null` removes each part of the address that the CRD had before. */
  private createPatch(): object {
    const { strategy, webhook } = createConversionStanza(this.name, this.config);
    const { url = null, service = null, caBundle = null } = webhook.clientConfig;
    return { spec: { conversion: { strategy, webhook: { ...webhook, clientConfig: { url, service, caBundle } } } } };
  }

  private isOurs(definition: KubeObject): boolean {
    const own = createConversionStanza(this.name, this.config).webhook.clientConfig;
    const { url, service } = conversionClientOf(definition) ?? {};
    return url === own.url && service?.name === own.service?.name && service?.namespace === own.service?.namespace;
  }

  private createRepair(): ConfigurationRepair {
    const { settings, api, clock, random, logger } = this.environment;
    return new ConfigurationRepair({
      watching: { api, settings: settings.watching, clock, random, logger, resource: CRDS },
      name: this.name,
      title: this.title,
      ownPartOf: conversionClientOf,
      advice: 'only one of them can convert the objects of the CRD',
      refreshInterval: settings.admission.refreshInterval,
      onDisturbed: () => this.changed.raise(),
    });
  }

  private explain(error: ApiForbiddenError): ApiForbiddenError {
    this.environment.logger.error(
      `The operator is not permitted to write the conversion webhook of the ${this.title}: it needs the verb patch for ` +
        'customresourcedefinitions of apiextensions.k8s.io.',
    );
    return error;
  }
}
