import type { AdmissionEngine } from '../admission/admission.engine.js';
import type { WebhookClientConfig } from '../reviews/webhook-client.config.js';
import type { ReviewDeadline } from '../admission/review/review.deadline.js';
import type { ReviewDispatcher } from '../admission/review/review.dispatcher.js';
import type { WatchEnvironment } from '../client/watch/watch.environment.js';
import { KopfBootstrapError } from '../common/kopf.errors.js';
import { unlessAborted } from 'kube-common';
import { DefinitionClient } from '../custom-resources/definition.client.js';
import type { CustomResourceDefinition } from '../custom-resources/definition.interface.js';
import type { DefinitionInstaller } from '../custom-resources/definition.installer.js';
import { findUnknownVersions } from './conversion.checks.js';
import type { ConversionGraph } from './conversion.graph.js';
import type { ConversionGraphs } from './conversion.graphs.js';
import { ConversionManager } from './conversion.manager.js';
import type { ConversionProcessor } from './conversion.processor.js';
import { removeConversion } from './conversion.removal.js';
import { createConversionStanza, isOwnConversion } from './conversion.stanza.js';

/** The dependencies of conversions in one session of the operator. */
export interface ConversionEngineParts {
  readonly graphs: ConversionGraphs;
  readonly processor: ConversionProcessor;
  readonly dispatcher: ReviewDispatcher;
  /** The engine that serves the reviews. */
  readonly admission: AdmissionEngine;
  readonly environment: WatchEnvironment;
}

/**
 * The engine that runs conversions in one session of the operator. They are served, and CRDs refer to the webhook, before the operator
 * lists anything, as lists can need them, and before CRDs get versions that need them.
 */
export class ConversionEngine {
  /** Aborted when CRDs are no longer written. */
  private readonly releasing = new AbortController();
  private readonly closing = new AbortController();
  private readonly deadlines = new Set<ReviewDeadline>();
  private managers: readonly ConversionManager[] = [];
  private managing: Promise<unknown> = Promise.resolve();
  private endReviews: () => void = () => undefined;

  constructor(private readonly parts: ConversionEngineParts) {}

  /**
   * Serves the conversions, applies the CRDs, and writes the webhook into them. Without conversions, it does only what the option `crds`
   * says.
   *
   * @throws CustomResourceError, KopfBootstrapError as {@link DefinitionInstaller.install} does, and for versions that a CRD does not have.
   */
  async install(definitions: DefinitionInstaller, signal: AbortSignal): Promise<void> {
    const { graphs, dispatcher, processor, admission, environment } = this.parts;
    if (graphs.all.size === 0) {
      await this.removeRemains(await definitions.install(signal));
      return;
    }
    this.endReviews = dispatcher.serve({
      conversion: (input, call) => processor.process(input, call, this.deadlines),
    });
    const isManaged = environment.settings.admission.managed !== null;
    const address = admission.serve((config) => this.update(config), isManaged);
    const config = isManaged ? await unlessAborted(address, signal) : undefined;
    const before = await definitions.install(signal, (name) =>
      config && graphs.all.has(name) ? createConversionStanza(name, config) : undefined,
    );
    await this.removeRemains(before.filter(({ metadata }) => !graphs.all.has(metadata.name)));
    if (config) await this.manage(config, signal);
  }

  /** Stops writing CRDs; if the settings say so, removes the webhooks from them. Never rejects. */
  async release(): Promise<void> {
    this.releasing.abort();
    await this.managing;
    if (!this.parts.environment.settings.admission.releaseConversions) return;
    await Promise.all(this.managers.map((manager) => manager.release(this.closing.signal)));
  }

  /** Ends everything that is still running. */
  close(): void {
    this.endReviews();
    this.releasing.abort();
    this.closing.abort();
    for (const deadline of this.deadlines) deadline.giveUp();
  }

  /**
   * Removes the webhooks of earlier releases from CRDs without conversion methods, as every request in another version would fail. This is
   * done after the CRDs were applied, so that objects in a removed version are not stored again without being converted.
   */
  private async removeRemains(definitions: readonly CustomResourceDefinition[]): Promise<void> {
    const { environment } = this.parts;
    const obsolete = definitions.filter(({ metadata }) => !metadata.deletionTimestamp).filter(isOwnConversion);
    await Promise.all(
      obsolete.map(({ metadata: { name } }) => removeConversion(name, environment, this.closing.signal)),
    );
  }

  private update(config: WebhookClientConfig): void {
    for (const manager of this.managers) manager.update(config);
  }

  /** Waits until each CRD was written, or the first attempt to write it has failed. */
  private async manage(config: WebhookClientConfig, signal: AbortSignal): Promise<void> {
    const { graphs, admission, environment } = this.parts;
    await this.checkVersions(
      [...graphs.all.values()].filter(({ name }) => !graphs.known.has(name)),
      signal,
    );
    this.managers = [...graphs.all.keys()].map((name) => new ConversionManager(name, config, environment));
    const runs = this.managers.map((manager) => {
      let onFirst = (): void => undefined;
      const first = new Promise<void>((resolve) => (onFirst = resolve));
      const { releasing, closing } = this;
      const running = manager
        .run(releasing.signal, closing.signal, onFirst)
        .catch((error: unknown) => admission.fail(error));
      return { first, running };
    });
    this.managing = Promise.all(runs.map(({ running }) => running));
    await Promise.all(runs.map(({ first }) => first));
  }

  /** Checks the versions of resources without classes in the application. A resource without a CRD can get it later. */
  private async checkVersions(graphs: readonly ConversionGraph[], signal: AbortSignal): Promise<void> {
    const { api, clock } = this.parts.environment;
    const client = new DefinitionClient(api, clock, signal);
    const found = await Promise.all(
      graphs.map(async (graph) => {
        const definition = await client.read(graph.name);
        return definition
          ? findUnknownVersions(
              graph,
              definition.spec.versions.map(({ name }) => name),
            )
          : [];
      }),
    );
    const violations = found.flat();
    if (violations.length > 0) throw new KopfBootstrapError(violations);
  }
}
