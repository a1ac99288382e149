import { Inject, Injectable } from '@nestjs/common';
import { errorText } from 'kube-common';
import { WatchEnvironment } from '../client/watch/watch.environment.js';
import { KopfBootstrapError } from '../common/kopf.errors.js';
import { InjectOwn, KOPF_OPTIONS } from '../kopf.tokens.js';
import { HandlerRegistry } from '../registry/handler.registry.js';
import type { Resource } from '../resources/resources.js';
import type { ObjectClass } from '../resources/object-class.js';
import { CustomResourceError } from './crd.error.js';
import type { CrdMode, CrdOptions } from './crd.options.js';
import { findCustomResource } from './custom-resource.decorator.js';
import { customResourceDefinitions } from './custom-resource.definition.js';
import { DefinitionClient, type DefinitionState } from './definition.client.js';
import { findDefinitionDifferences, hasOtherVersions } from './definition.differences.js';
import type { CustomResourceDefinition } from './definition.interface.js';
import { findDefinitionChanges, storedVersionsOf } from './evolution/definition.changes.js';
import { createTransition, findMigrationChanges } from './evolution/version.transition.js';

/** The installer that applies or verifies the CRDs of the classes when the operator starts. */
@Injectable()
export class DefinitionInstaller {
  private readonly settings: CrdOptions;
  private present: readonly Resource[] = [];

  constructor(
    @InjectOwn(KOPF_OPTIONS) { crds = 'ignore' }: { readonly crds?: CrdMode | CrdOptions },
    @InjectOwn(HandlerRegistry) private readonly registry: HandlerRegistry,
    @Inject(WatchEnvironment) private readonly environment: WatchEnvironment,
  ) {
    this.settings = typeof crds === 'string' ? { mode: crds } : crds;
  }

  /** The classes with `@CustomResource()` that handlers are declared for, and those of the option `crds`. */
  get types(): readonly ObjectClass[] {
    const declared = this.registry.declarations().filter((type) => findCustomResource(type));
    return [...new Set([...(declared as unknown as ObjectClass[]), ...(this.settings.types ?? [])])];
  }

  /** The resources of the CRDs that are applied or verified in this start. The API server serves all of them, or is about to. */
  get installed(): readonly Resource[] {
    return this.present;
  }

  /**
   * Applies or verifies the CRDs.
   *
   * @param conversionOf returns the `spec.conversion` of a CRD, by its name, if its objects are converted: it is applied together with the
   * versions, so that no version is ever served without its conversion.
   * @returns the CRDs as they were before, if they were applied.
   * @throws CustomResourceError if the cluster does not have them, or does not let the operator create them.
   * @throws KopfBootstrapError if they would break stored objects or clients; the message names rules and paths.
   */
  async install(
    signal: AbortSignal,
    conversionOf: (name: string) => CustomResourceDefinition['spec']['conversion'] = () => undefined,
  ): Promise<readonly CustomResourceDefinition[]> {
    const { mode } = this.settings;
    if (mode === 'ignore') return [];
    const definitions = customResourceDefinitions(this.types).map((each) => withConversion(each, conversionOf));
    this.present = definitions.flatMap(resourcesOf);
    const client = new DefinitionClient(this.environment.api, this.environment.clock, signal);
    const stored = await Promise.all(definitions.map(({ metadata }) => client.read(metadata.name)));
    if (mode === 'verify') {
      verify(definitions, stored);
      for (const { metadata } of definitions) await client.settled(metadata.name);
      return [];
    }
    // Nothing is applied if there is any violation.
    this.refuseChanges(definitions, stored);
    for (const [index, definition] of definitions.entries()) {
      const state = await this.apply(client, definition, stored[index]);
      if (state === 'terminating') void this.replace(client, definition, signal);
    }
    return stored.filter((definition) => definition !== undefined);
  }

  /**
   * Creates a CRD again after the one that is being deleted has gone. The start does not wait for it, as its objects may wait for handlers
   * of this operator.
   */
  private async replace(
    client: DefinitionClient,
    definition: CustomResourceDefinition,
    signal: AbortSignal,
  ): Promise<void> {
    const { logger } = this.environment;
    const { name } = definition.metadata;
    logger.warn(`The CRD ${name} is being deleted, with all of its objects. It is created again when it has gone.`);
    try {
      let state: DefinitionState = 'terminating';
      while (state === 'terminating') {
        await client.gone(name);
        state = await client.apply(definition, this.settings.force ?? true);
      }
      logger.log(`The CRD ${name} is created again.`);
    } catch (error) {
      if (!signal.aborted) logger.error(`The CRD ${name} could not be created again: ${errorText(error)}`, error);
    }
  }

  private refuseChanges(
    definitions: readonly CustomResourceDefinition[],
    stored: readonly (CustomResourceDefinition | undefined)[],
  ): void {
    const refused = definitions.flatMap((definition, index) => {
      const old = stored[index];
      // All objects that a change could break are deleted with the CRD.
      if (!old || old.metadata.deletionTimestamp) return [];
      const changes = findDefinitionChanges(old, definition, this.settings);
      const migrations = findMigrationChanges(old, definition, this.settings);
      return [...changes.filter(({ rule }) => rule !== 'storedVersionRemoval'), ...migrations].flatMap((change) => {
        const text = `${definition.metadata.name} ${change.path} (${change.rule}): ${change.message}`;
        if (change.severity === 'error') return [text];
        if (change.rule !== 'description') this.environment.logger.warn(`The CRD changes: ${text}.`);
        return [];
      });
    });
    if (refused.length === 0) return;
    const advice =
      "add a version that is converted instead, or let the change pass with crds: { mode: 'apply', allow: [rule] }";
    throw new KopfBootstrapError(refused.map((text) => `${text}; ${advice}`));
  }

  private async apply(
    client: DefinitionClient,
    definition: CustomResourceDefinition,
    old: CustomResourceDefinition | undefined,
  ): Promise<DefinitionState> {
    const { logger } = this.environment;
    const { name } = definition.metadata;
    const { force = true } = this.settings;
    if (old?.metadata.deletionTimestamp) return 'terminating';
    const isEqual =
      old && !hasOtherVersions(old, definition) && findDefinitionDifferences(old, definition).length === 0;
    const present = isEqual ? await client.settled(name) : 'gone';
    if (present !== 'gone') return present;
    const transition = old && createTransition(old, definition);
    if (old && transition) {
      const { name: version } = definition.spec.versions.find(({ storage }) => storage)!;
      await client.apply(transition, force);
      const count = await client.rewrite(definition, version);
      await client.setStoredVersions(name, [version]);
      const before = storedVersionsOf(old).join(', ');
      logger.log(`Objects of ${name} are stored in ${version} now: ${count} were rewritten, from ${before}.`);
    }
    const state = await client.apply(definition, force);
    logger.log(`The CRD ${name} is ${old ? 'brought up to date' : 'created'}.`);
    return state;
  }
}

function resourcesOf({ spec: { group, scope, names, versions } }: CustomResourceDefinition): readonly Resource[] {
  const { plural, kind, singular, shortNames = [], categories = [] } = names;
  const common = { group, plural, kind, singular, shortNames, categories, namespaced: scope === 'Namespaced' };
  return versions
    .filter(({ served }) => served)
    .map(({ name: version }) => ({ ...common, version, preferred: true, subresources: [], verbs: [] }));
}

function withConversion(
  definition: CustomResourceDefinition,
  conversionOf: (name: string) => CustomResourceDefinition['spec']['conversion'],
): CustomResourceDefinition {
  const conversion = conversionOf(definition.metadata.name);
  return conversion ? { ...definition, spec: { ...definition.spec, conversion } } : definition;
}

function verify(
  definitions: readonly CustomResourceDefinition[],
  stored: readonly (CustomResourceDefinition | undefined)[],
): void {
  const texts = definitions.flatMap((definition, index) => {
    const { name } = definition.metadata;
    const old = stored[index];
    if (!old) return [`${name} does not exist`];
    if (old.metadata.deletionTimestamp) return [`${name} is being deleted`];
    const differences = findDefinitionDifferences(old, definition);
    return differences.length > 0 ? [`${name} differs at ${differences.join(', ')}`] : [];
  });
  if (texts.length === 0) return;
  const advice = "Apply the CRDs that are generated from the classes, or start with crds: 'apply'.";
  throw new CustomResourceError(`The cluster does not have the CRDs of the classes: ${texts.join('; ')}. ${advice}`);
}
