import { LinkedSignal } from '../../common/linked.signal.js';
import type { ApiCallOptions, KubeApi } from '../../client/api/api.client.js';
import type { WatchSourceOptions } from '../../client/watch/watch.requests.js';
import { ApiForbiddenError, ApiNotFoundError } from '../../client/api/api.errors.js';
import { type Clock, errorText, type Random, Signal } from 'kube-common';
import type { KubeObject } from '../../objects/kube-object.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
import type { WebhookClientConfig } from '../../reviews/webhook-client.config.js';
import type { AdmissionHandler } from '../../registry/handler.js';
import type { AdmissionSettings } from '../../settings/admission.settings.js';
import { resourceUrl } from '../../resources/resources.js';
import { Backoff } from '../../common/backoff.js';
import {
  type AdmissionResources,
  ConfigurationClient,
  CONFIGURATION_GROUP,
  CONFIGURATION_KINDS,
  isOwn,
  webhooksOf,
} from './configuration.client.js';
import { ConfigurationRepair } from './configuration.repair.js';
import { createWebhooks, type Webhook } from './webhook.configuration.js';

/** The dependencies of the manager. */
export interface ConfigurationManagerOptions {
  readonly kind: 'validate' | 'mutate';
  /** Returns the present admission handlers of all kinds. */
  readonly handlers: () => readonly AdmissionHandler[];
  readonly resources: AdmissionResources;
  readonly settings: AdmissionSettings;
  readonly watching: WatchSourceOptions['settings'];
  /** The name of the configuration: the setting `admission.managed`. */
  readonly name: string;
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: KopfLogger;
}

/** Seconds until the next attempt to write a configuration; the last one repeats. */
const RETRY_DELAYS = [1, 2, 5, 10, 30];

/**
 * The manager of one webhook configuration: it writes the configuration when the operator starts, when the address of the server or the
 * resources change, when another client has changed it, and periodically. On exit, only the persistent webhooks are left. Without any
 * handlers, it removes the webhooks of earlier releases.
 */
export class ConfigurationManager {
  private readonly changed = new Signal();
  private readonly title: string;
  private clientConfig?: WebhookClientConfig;
  private isCreated = false;
  /** The webhooks that were sent last, whether they were stored or not. */
  private written?: string;

  constructor(private readonly options: ConfigurationManagerOptions) {
    this.title = `${CONFIGURATION_KINDS[options.kind].kind} ${options.name}`;
  }

  private get handlers(): readonly AdmissionHandler[] {
    const { kind: wanted, handlers } = this.options;
    return handlers().filter(({ kind }) => kind === wanted);
  }

  /** Sets the address of the webhooks, and has the configuration compared with the present handlers and resources. */
  update(clientConfig: WebhookClientConfig | undefined): void {
    this.clientConfig = clientConfig;
    const isWanted = (this.handlers.length > 0 || this.written !== undefined) && clientConfig !== undefined;
    if (isWanted && JSON.stringify(this.createWebhooks(this.handlers)) !== this.written) this.changed.raise();
  }

  /**
   * Writes the configuration whenever it differs, until the signal is aborted. Failures are retried.
   *
   * @param hard aborted when requests in progress are not waited for any longer.
   * @throws ApiForbiddenError if the operator is not allowed to write configurations.
   */
  async run(signal: AbortSignal, hard: AbortSignal): Promise<void> {
    if (this.handlers.length === 0) await this.removeRemains(hard);
    while (this.handlers.length === 0 && !signal.aborted) {
      await this.changed.wait(this.options.clock, undefined, signal);
    }
    if (signal.aborted) return;
    const repair = this.createRepair();
    const ended = new LinkedSignal(signal);
    let watching: Promise<void> | undefined;
    // A configuration that was never written needs no repair.
    const onWritten = (): void => void (watching ??= repair.run(ended.signal));
    try {
      await this.keep(repair, onWritten, signal, hard);
    } finally {
      ended.abort();
      await watching;
    }
  }

  /** Removes all but the persistent webhooks. Never rejects. @returns whether any was removed */
  async release(hard: AbortSignal): Promise<boolean> {
    const { logger } = this.options;
    const persistent = this.handlers.filter((handler) => handler.persistent);
    if (this.written === undefined || persistent.length === this.handlers.length) return false;
    try {
      await this.send(this.createWebhooks(persistent), { signal: hard });
      logger.log(`The webhooks were removed from the ${this.title}.`);
      return true;
    } catch (error) {
      logger.error(`The webhooks could not be removed from the ${this.title}: ${errorText(error)}`);
      return false;
    }
  }

  private async keep(
    repair: ConfigurationRepair,
    onWritten: () => void,
    signal: AbortSignal,
    hard: AbortSignal,
  ): Promise<void> {
    const { clock, settings } = this.options;
    const backoff = new Backoff(() => RETRY_DELAYS);
    while (!signal.aborted) {
      let delay: number | undefined = settings.refreshInterval || undefined;
      if (this.clientConfig) {
        const isDone = await this.attempt(repair, hard);
        if (isDone) {
          backoff.reset();
          onWritten();
        } else delay = backoff.next();
      }
      await this.changed.wait(clock, delay, signal);
    }
  }

  private async attempt(repair: ConfigurationRepair, hard: AbortSignal): Promise<boolean> {
    const { logger } = this.options;
    const webhooks = this.createWebhooks(this.handlers);
    const text = JSON.stringify(webhooks);
    // A permission that is missing at the start is reported at once; one that is lost later may come back, for example when a role is replaced.
    const options = { signal: hard, retries: this.written === undefined ? 'transient' : 'default' } as const;
    try {
      if (!this.isCreated) await this.client.create(options);
      this.isCreated = true;
      // A request that was aborted may have been stored all the same.
      const isNew = text !== this.written;
      this.written = text;
      repair.agree(await this.send(webhooks, options));
      const count = webhooks.length === 1 ? '1 webhook' : `${webhooks.length} webhooks`;
      if (isNew) logger.log(`The ${this.title} has ${count} of this operator.`);
      return true;
    } catch (error) {
      if (hard.aborted) return true;
      if (error instanceof ApiForbiddenError) throw this.explain(error);
      // Another client has deleted the configuration.
      if (error instanceof ApiNotFoundError) this.isCreated = false;
      logger.error(`The ${this.title} could not be written, which is tried again: ${errorText(error)}`);
      return false;
    }
  }

  private send(webhooks: readonly Webhook[], options: ApiCallOptions): Promise<KubeObject> {
    const { client } = this;
    return this.options.settings.keepForeign ? client.merge(webhooks, options) : client.replace(webhooks, options);
  }

  /** Removes the webhooks of earlier releases, as there are no handlers. A missing permission or configuration is no error. */
  private async removeRemains(signal: AbortSignal): Promise<void> {
    const { logger } = this.options;
    try {
      await this.send([], { signal, retries: false });
    } catch (error) {
      if (error instanceof ApiNotFoundError) return;
      logger.debug(`The ${this.title} was not looked after: ${errorText(error)}`);
    }
  }

  private createRepair(): ConfigurationRepair {
    const { kind, name, resources, settings, watching, api, clock, random, logger } = this.options;
    return new ConfigurationRepair({
      watching: { api, settings: watching, clock, random, logger, resource: resources.configurationsOf(kind) },
      name,
      title: this.title,
      ownPartOf: (configuration) => this.ownWebhooks(configuration),
      advice: 'give one of them another name in admission.managed',
      refreshInterval: settings.refreshInterval,
      onDisturbed: (configuration) => {
        if (!configuration) this.isCreated = false;
        this.changed.raise();
      },
    });
  }

  private ownWebhooks(configuration: KubeObject | undefined): readonly Webhook[] {
    const { settings, name } = this.options;
    const webhooks = webhooksOf(configuration);
    return settings.keepForeign ? webhooks.filter((webhook) => isOwn(webhook.name, name)) : webhooks;
  }

  private createWebhooks(handlers: readonly AdmissionHandler[]): readonly Webhook[] {
    const { resources, name: managed } = this.options;
    return createWebhooks({ handlers, resources: resources.all, managed, clientConfig: this.clientConfig ?? {} });
  }

  private explain(error: ApiForbiddenError): ApiForbiddenError {
    const { plural } = CONFIGURATION_KINDS[this.options.kind];
    this.options.logger.error(
      `The operator is not permitted to manage the ${this.title}: it needs the verbs create and patch` +
        `${this.options.settings.keepForeign ? ', and get,' : ''} for ${plural} of ${CONFIGURATION_GROUP}.`,
    );
    return error;
  }

  /** Returns a client for the present version of the resource, which is known only after the resources were discovered. */
  private get client(): ConfigurationClient {
    const { api, resources, name, kind } = this.options;
    return new ConfigurationClient(api, resourceUrl(resources.configurationsOf(kind)), name);
  }
}
