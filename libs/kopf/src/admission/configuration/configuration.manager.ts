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

/** Lists the dependencies of the manager. */
export interface ConfigurationManagerOptions {
  readonly kind: 'validate' | 'mutate';
  /** All admission handlers as they are now; those of other kinds are left out. */
  readonly handlers: () => readonly AdmissionHandler[];
  readonly resources: AdmissionResources;
  readonly settings: AdmissionSettings;
  readonly watching: WatchSourceOptions['settings'];
  /** The settings' `managed`. */
  readonly name: string;
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: KopfLogger;
}

/** Seconds until the next attempt to write a configuration; the last one repeats. */
const RETRY_DELAYS = [1, 2, 5, 10, 30];

/**
 * Keeps one webhook configuration as the handlers need it: written when the operator starts, when the server or the resources change,
 * when others have changed it, and every now and then; on exit, only the persistent webhooks are left. Without any handlers, what earlier
 * versions have left is removed.
 */
export class ConfigurationManager {
  private readonly changed = new Signal();
  private readonly title: string;
  private clientConfig?: WebhookClientConfig;
  private isCreated = false;
  /** The webhooks that were sent last, whether they have arrived or not. */
  private written?: string;

  constructor(private readonly options: ConfigurationManagerOptions) {
    this.title = `${CONFIGURATION_KINDS[options.kind].kind} ${options.name}`;
  }

  private get handlers(): readonly AdmissionHandler[] {
    const { kind: wanted, handlers } = this.options;
    return handlers().filter(({ kind }) => kind === wanted);
  }

  /** Takes notice of where the webhooks are served now, that handlers have come or gone, or that resources have come or gone. */
  update(clientConfig: WebhookClientConfig | undefined): void {
    this.clientConfig = clientConfig;
    const isWanted = (this.handlers.length > 0 || this.written !== undefined) && clientConfig !== undefined;
    if (isWanted && JSON.stringify(this.createWebhooks(this.handlers)) !== this.written) this.changed.raise();
  }

  /**
   * Writes the configuration whenever that is needed, until the signal is aborted. What fails is tried again.
   *
   * @param hard aborted when not even a request in progress is waited for.
   * @throws ApiForbiddenError if the operator is not allowed to.
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

  /** Leaves nothing but the persistent webhooks; tells whether any was removed. Never rejects. */
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
    // A right that is missing at the start is reported at once; one that is lost later may come back, as when a role is replaced.
    const options = { signal: hard, retries: this.written === undefined ? 'transient' : 'default' } as const;
    try {
      if (!this.isCreated) await this.client.create(options);
      this.isCreated = true;
      // Also what is cut off may have been written.
      const isNew = text !== this.written;
      this.written = text;
      repair.agree(await this.send(webhooks, options));
      const count = webhooks.length === 1 ? '1 webhook' : `${webhooks.length} webhooks`;
      if (isNew) logger.log(`The ${this.title} has ${count} of this operator.`);
      return true;
    } catch (error) {
      if (hard.aborted) return true;
      if (error instanceof ApiForbiddenError) throw this.explain(error);
      // The configuration was deleted meanwhile.
      if (error instanceof ApiNotFoundError) this.isCreated = false;
      logger.error(`The ${this.title} could not be written, which is tried again: ${errorText(error)}`);
      return false;
    }
  }

  private send(webhooks: readonly Webhook[], options: ApiCallOptions): Promise<KubeObject> {
    const { client } = this;
    return this.options.settings.keepForeign ? client.merge(webhooks, options) : client.replace(webhooks, options);
  }

  /** Without handlers, the operator may lack the permission, and the cluster the configuration: both are fine. */
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

  /** The version of the resource is known only when the operator has looked at the cluster. */
  private get client(): ConfigurationClient {
    const { api, resources, name, kind } = this.options;
    return new ConfigurationClient(api, resourceUrl(resources.configurationsOf(kind)), name);
  }
}
