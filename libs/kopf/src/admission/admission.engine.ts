// admission: objects that are checked and changed before they are stored. review/ answers one review with its handlers, servers/
// bring reviews to the operator, certificates/ and configuration/ have API servers send them there, and controller/ serves them within
// an application that has a server already.
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

/** Lists what admission needs of the session in which it runs. */
export type AdmissionSession = Pick<ReviewSession, 'inventory' | 'events' | 'monitor'>;

/** Lists the dependencies of admission in one session of the operator. */
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
 * Runs admission in one run of the operator: once the resources are known, reviews are answered, the server is started, and the managed
 * configurations are written. At the end, first the webhooks are removed, and then the server closes.
 */
export class AdmissionEngine {
  private readonly resources: AdmissionResources;
  /** Ends the writing of configurations. */
  private readonly releasing = new AbortController();
  /** Ends the server. */
  private readonly stopping = new AbortController();
  /** Ends the waiting for the API server. */
  private readonly closing = new AbortController();
  private managers: readonly ConfigurationManager[] = [];
  private managing: Promise<unknown> = Promise.resolve();
  private serving?: Promise<void>;
  private readonly address = new Deferred<WebhookClientConfig>();
  private onAddress: (config: WebhookClientConfig) => void = () => undefined;
  /** Told of a failure of the server instead of the operator, before it has said where it serves. */
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
   * Gets ready, when the settings do not change any more, and were checked.
   *
   * @throws KopfOptionsError if the settings do not say who brings the reviews to the handlers.
   * @throws KopfBootstrapError if webhooks cannot be named, or classes have rules that would never be checked.
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
        `admission.server is missing, so nobody brings reviews to ${source}: set it, or import KopfAdmissionModule`,
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
   * Begins to serve before anything is listed, as the API server may ask for conversions to be able to list. Reviews of admission are answered
   * when the resources are known.
   *
   * @param onAddress told where webhooks are served whenever that changes.
   * @param isAwaited whether the caller is told if nothing can be served; otherwise, the operator fails.
   * @returns where webhooks are served, or will be.
   */
  async serve(onAddress: (config: WebhookClientConfig) => void, isAwaited: boolean): Promise<WebhookClientConfig> {
    this.onAddress = onAddress;
    const { promise } = this.address.allowUnhandled();
    if (isAwaited) this.onUnserved = (error) => this.address.reject(error);
    this.serving ??= this.runServer();
    const early = this.server?.expectedAddress?.();
    return early ?? promise;
  }

  /** Ends the work of the operator, as something that it cannot do without has failed. */
  fail(error: unknown): void {
    this.onFailed(error);
  }

  /** Takes notice of what the cluster has. The first time, admission begins. */
  adjust(available: readonly Resource[]): ResourceSelection {
    const selection = this.resources.update(available);
    if (!this.isStarted && !this.releasing.signal.aborted) this.start();
    this.openReviews();
    for (const manager of this.managers) manager.update(this.clientConfig);
    return selection;
  }

  /** Removes the webhooks of the managed configurations, but for the persistent ones. Reviews are still answered. */
  async release(): Promise<void> {
    const { clock, settings } = this.parts;
    this.releasing.abort();
    await this.managing;
    const released = await Promise.all(this.managers.map((manager) => manager.release(this.closing.signal)));
    if (released.includes(true)) await sleep(clock, settings.exitDelay, this.closing.signal);
  }

  /** Stops the server, after the answers in progress. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.serving;
  }

  /** Ends everything that is still going on. */
  close(): void {
    this.endReviews();
    this.releasing.abort();
    this.stopping.abort();
    this.closing.abort();
    // The reviews in progress cannot be waited for any more.
    for (const deadline of this.deadlines) deadline.giveUp();
  }

  /** Reviews can still come in other ways, by `KopfAdmission`. */
  private reportUnreachable(handlers: readonly { readonly source: string }[]): void {
    const sources = [...new Set(handlers.map(({ source }) => source))].join(', ');
    this.parts.logger.warn(
      `Nobody brings reviews to ${sources}, as this application has no HTTP server for KopfAdmissionModule, which ` +
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

  /** Begins to answer reviews once there are handlers, which can come late. */
  private openReviews(): void {
    const { dispatcher, registry, processor, inventory, memories, freshness, events, monitor, logger } = this.parts;
    if (this.isOpen || registry.allAdmission().length === 0 || this.releasing.signal.aborted) return;
    if (!this.server) {
      const { source } = registry.allAdmission()[0];
      logger.error(`The setting admission.server is missing, so nobody brings reviews to ${source}.`);
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
