// admission: objects that are checked and changed before the API server stores them. review/ answers one review with its handlers.
// servers/ are the HTTP servers that receive reviews, with one endpoint for all of them, and certificates/ has their certificates.
// configuration/ registers the webhooks with the API server. controller/ receives reviews by the HTTP server of the application.
// May import: client, execution, events, and what these may import; its controller the tokens.

import { findNameViolations } from './configuration/webhooks.js';
import type { KubeApi } from '../client/api/api.client.js';
import type { WatchSourceOptions } from '../client/watch/watch.requests.js';
import type { Vault } from '../client/vault/vault.js';
import { KopfBootstrapError, KopfOptionsError } from '../common/kopf.errors.js';
import type { AdmissionServer } from '../reviews/admission-server.interface.js';
import { type Clock, Deferred, type Random, sleep } from 'kube-common';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { Resource } from '../resources/resources.js';
import type { WebhookClientConfig } from '../reviews/webhook-client.config.js';
import type { AdmissionHandler } from '../registry/handler.js';
import type { HandlerRegistry } from '../registry/handler.registry.js';
import type { AdmissionSettings } from '../settings/admission.settings.js';
import type { ResourceSelection } from '../resources/resource-selector.js';
import type { AdmissionProcessor, ReviewSession } from './review/admission.processor.js';
import type { ReviewDeadline } from './review/review.deadline.js';
import { AdmissionResources } from './configuration/configuration.client.js';
import { ConfigurationManager } from './configuration/configuration.manager.js';
import { DtoValidator } from './review/dto.validator.js';
import type { ReviewDispatcher } from './review/review.dispatcher.js';
import type { AdmissionServers } from './servers/admission.servers.js';
import { createClusterFacts } from './servers/cluster.facts.js';

/** The parts of a session that admission needs. */
export type AdmissionSession = Pick<ReviewSession, 'inventory' | 'events' | 'monitor'>;

/** The dependencies of admission in one session of the operator. */
export interface AdmissionEngineParts extends AdmissionSession, Pick<ReviewSession, 'memories' | 'freshness'> {
  readonly dispatcher: ReviewDispatcher;
  readonly servers: AdmissionServers;
  readonly registry: HandlerRegistry;
  readonly settings: AdmissionSettings;
  readonly watching: WatchSourceOptions['settings'];
  readonly processor: AdmissionProcessor;
  readonly api: KubeApi;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: KopfLogger;
}

/**
 * The engine that runs admission in one session of the operator. As soon as the resources of the cluster are known, it answers reviews,
 * starts the server, and writes the managed configurations. At the end, it removes the webhooks first, and then closes the server.
 */
export class AdmissionEngine {
  private readonly resources: AdmissionResources;
  /** Aborted when configurations are no longer written. */
  private readonly releasing = new AbortController();
  /** Aborted when the server is to close. */
  private readonly stopping = new AbortController();
  /** Aborted when requests in progress are not waited for any longer. */
  private readonly closing = new AbortController();
  private managers: readonly ConfigurationManager[] = [];
  private managing: Promise<unknown> = Promise.resolve();
  private serving?: Promise<void>;
  private readonly address = new Deferred<WebhookClientConfig>();
  private onAddress: (config: WebhookClientConfig) => void = () => undefined;
  /** Called if the server fails before its address is known; without it, the operator fails. */
  private onUnserved?: (error: unknown) => void;
  private clientConfig?: WebhookClientConfig;
  private dtos?: DtoValidator;
  private readonly deadlines = new Set<ReviewDeadline>();
  private onFailed: (error: unknown) => void = () => undefined;
  private isStarted = false;
  private isOpen = false;
  private endReviews: () => void = () => undefined;

  constructor(private readonly parts: AdmissionEngineParts) {
    this.resources = new AdmissionResources(parts.registry);
  }

  /**
   * Prepares admission; called after the startup handlers, which can change the settings.
   *
   * @throws KopfOptionsError if there are handlers, but no server that receives reviews.
   * @throws KopfBootstrapError if the id of a handler makes no name of a webhook, or if rules of a class would never be checked.
   */
  async prepare(onFailed: (error: unknown) => void): Promise<void> {
    const { settings, registry, servers } = this.parts;
    this.onFailed = onFailed;
    const application = servers.findApplication();
    const handlers = registry.allAdmission();
    const served = [...handlers, ...registry.allConversions()];
    const violations: string[] = [];
    if (served.length > 0 && !this.server) {
      const { source } = served[0];
      violations.push(
        `admission.server is missing, so no server receives reviews for ${source}: set it, or import KopfAdmissionModule`,
      );
    }
    if (served.length > 0 && application && !application.hasHost) this.reportUnreachable(served);
    if (served.length > 0 && settings.managed && application?.configurationError) {
      violations.push(application.configurationError);
    }
    if (violations.length > 0) throw new KopfOptionsError(violations);
    const misnamed = settings.managed ? findNameViolations(handlers, settings.managed) : [];
    if (misnamed.length > 0) throw new KopfBootstrapError(misnamed);
    if (handlers.some(({ dto }) => dto)) this.dtos = await this.loadDtos(handlers);
  }

  /**
   * Starts the server before the operator lists anything, as the API server may request conversions to answer lists. Reviews of admission
   * are answered later, when the resources are known.
   *
   * @param onAddress called with the address of the webhooks whenever it changes.
   * @param isAwaited whether the returned promise rejects if the server fails; otherwise, the operator fails.
   * @returns the address of the webhooks, at which the server may begin to listen later.
   */
  async serve(onAddress: (config: WebhookClientConfig) => void, isAwaited: boolean): Promise<WebhookClientConfig> {
    this.onAddress = onAddress;
    const { promise } = this.address.allowUnhandled();
    if (isAwaited) this.onUnserved = (error) => this.address.reject(error);
    this.serving ??= this.runServer();
    const early = this.server?.expectedAddress?.();
    return early ?? promise;
  }

  /** Fails the operator, which cannot work without conversions. */
  fail(error: unknown): void {
    this.onFailed(error);
  }

  /** Selects the resources of the handlers among those of the cluster. The first call starts admission. */
  adjust(available: readonly Resource[]): ResourceSelection {
    const selection = this.resources.update(available);
    if (!this.isStarted && !this.releasing.signal.aborted) this.start();
    this.openReviews();
    for (const manager of this.managers) manager.update(this.clientConfig);
    return selection;
  }

  /** Removes all but the persistent webhooks from the managed configurations. Reviews are still answered. */
  async release(): Promise<void> {
    const { clock, settings } = this.parts;
    this.releasing.abort();
    await this.managing;
    const released = await Promise.all(this.managers.map((manager) => manager.release(this.closing.signal)));
    if (released.includes(true)) await sleep(clock, settings.exitDelay, this.closing.signal);
  }

  /** Stops the server when the reviews in progress are answered. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.serving;
  }

  /** Ends everything that is still running. */
  close(): void {
    this.endReviews();
    this.releasing.abort();
    this.stopping.abort();
    this.closing.abort();
    // The session ends now: reviews in progress are given up.
    for (const deadline of this.deadlines) deadline.giveUp();
  }

  /** Warns of an application without an HTTP server. It is no error, as the application can answer reviews itself by `KopfAdmission`. */
  private reportUnreachable(handlers: readonly { readonly source: string }[]): void {
    const sources = [...new Set(handlers.map(({ source }) => source))].join(', ');
    this.parts.logger.warn(
      `No server receives reviews for ${sources}, as this application has no HTTP server for KopfAdmissionModule, which ` +
        `NestFactory.create() makes, but neither createApplicationContext() nor createMicroservice(): set admission.server.`,
    );
  }

  private async loadDtos(handlers: readonly AdmissionHandler[]): Promise<DtoValidator> {
    const dtos = await DtoValidator.load();
    const violations = handlers.flatMap(({ dto, source }) =>
      dto ? dtos.findViolations(dto).map((violation) => `${source}: ${violation}`) : [],
    );
    if (violations.length > 0) throw new KopfBootstrapError([...new Set(violations)]);
    return dtos;
  }

  private get server(): AdmissionServer | undefined {
    return this.parts.servers.find();
  }

  private start(): void {
    this.isStarted = true;
    this.managers = this.createManagers();
    this.managing = Promise.all(
      this.managers.map((manager) =>
        manager.run(this.releasing.signal, this.closing.signal).catch((error: unknown) => this.onFailed(error)),
      ),
    );
  }

  /** Begins to answer reviews as soon as there are handlers: modules that are loaded later can add the first ones. */
  private openReviews(): void {
    const { dispatcher, registry, processor, inventory, memories, freshness, events, monitor, logger } = this.parts;
    if (this.isOpen || registry.allAdmission().length === 0 || this.releasing.signal.aborted) return;
    if (!this.server) {
      const { source } = registry.allAdmission()[0];
      logger.error(`The setting admission.server is missing, so no server receives reviews for ${source}.`);
      return;
    }
    this.isOpen = true;
    const { resources, dtos, deadlines } = this;
    const session = { resources, inventory, memories, freshness, events, monitor, dtos, deadlines };
    this.endReviews = dispatcher.serve({ admission: (input, call) => processor.process(input, call, session) });
    this.serving ??= this.runServer();
  }

  private async runServer(): Promise<void> {
    const { dispatcher, api, vault, clock, random, logger } = this.parts;
    const { signal } = this.stopping;
    const cluster = createClusterFacts({ api, vault, clock, logger });
    try {
      const server = this.server!;
      const configs = server.serve((review, call) => dispatcher.answer(review, call), {
        signal,
        logger,
        clock,
        random,
        cluster,
        api,
      });
      for await (const config of configs) this.note(config);
      if (!signal.aborted) logger.warn('The admission server has ended: no reviews come any more.');
    } catch (error) {
      if (!signal.aborted) (this.onUnserved ?? this.onFailed)(error);
      else logger.error('The admission server has failed while it was stopping.', error);
    }
  }

  private note(config: WebhookClientConfig): void {
    this.clientConfig = config;
    const { url, service } = config;
    const place = url ?? `the service ${service?.namespace ?? ''}/${service?.name ?? ''}`;
    this.parts.logger.log(`Reviews are served at ${place}.`);
    for (const manager of this.managers) manager.update(config);
    this.onUnserved = undefined;
    this.address.resolve(config);
    this.onAddress(config);
  }

  private createManagers(): readonly ConfigurationManager[] {
    const { registry, settings, watching, api, clock, random, logger } = this.parts;
    const { resources } = this;
    const { managed: name } = settings;
    if (!name) return [];
    return (['validate', 'mutate'] as const).map(
      (kind) =>
        new ConfigurationManager({
          kind,
          handlers: () => registry.allAdmission(),
          resources,
          settings,
          watching,
          name,
          api,
          clock,
          random,
          logger,
        }),
    );
  }
}
