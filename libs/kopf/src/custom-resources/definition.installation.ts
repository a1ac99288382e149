import { errorText } from 'kube-common';
import type { WatchEnvironment } from '../client/watch/watch.environment.js';
import { KopfBootstrapError } from '../common/kopf.errors.js';
import type { ObjectClass } from '../resources/object-class.js';
import type { Resource } from '../resources/resources.js';
import { CustomResourceError } from './crd.error.js';
import type { CrdOptions } from './crd.options.js';
import { customResourceDefinitions } from './custom-resource.definition.js';
import { DefinitionClient, type DefinitionState } from './definition.client.js';
import { findDefinitionDifferences, hasOtherVersions } from './definition.differences.js';
import type { CustomResourceDefinition } from './definition.interface.js';
import { findDefinitionChanges, storedVersionsOf } from './evolution/definition.changes.js';
import { createTransition, findMigrationChanges } from './evolution/version.transition.js';

/** Returns the `spec.conversion` of a CRD, by its name, if its objects are converted. */
export type ConversionLookup = (name: string) => CustomResourceDefinition['spec']['conversion'];

/** One installation of the CRDs of classes, in one start of the operator: generates, compares, and applies or verifies them. */
export class DefinitionInstallation {
  /** The CRDs of the classes. */
  private readonly definitions: readonly CustomResourceDefinition[];
  private readonly client: DefinitionClient;

  constructor(
    types: readonly ObjectClass[],
    conversionOf: ConversionLookup,
    private readonly settings: CrdOptions,
    private readonly environment: WatchEnvironment,
    private readonly signal: AbortSignal,
  ) {
    this.definitions = customResourceDefinitions(types).map((each) => withConversion(each, conversionOf));
    this.client = new DefinitionClient(environment.api, environment.clock, signal);
  }

  /** The resources of the CRDs. */
  get resources(): readonly Resource[] {
    return this.definitions.flatMap(resourcesOf);
  }

  /** Applies or verifies the CRDs, as {@link DefinitionInstaller.install} does. */
  async run(): Promise<readonly CustomResourceDefinition[]> {
    const { client, definitions, settings } = this;
    const stored = await Promise.all(definitions.map(({ metadata }) => client.read(metadata.name)));
    if (settings.mode === 'verify') {
      verify(definitions, stored);
      for (const { metadata } of definitions) await client.settled(metadata.name);
      return [];
    }
    // Nothing is applied if there is any violation.
    this.refuseChanges(stored);
    for (const [index, definition] of definitions.entries()) {
      const state = await this.apply(definition, stored[index]);
      if (state === 'terminating') void this.replace(definition);
    }
    return stored.filter((definition) => definition !== undefined);
  }

  /**
   * Creates a CRD again after the one that is being deleted has gone. The start does not wait for it, as its objects may wait for handlers
   * of this operator.
   */
  private async replace(definition: CustomResourceDefinition): Promise<void> {
    const { client, signal } = this;
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

  private refuseChanges(stored: readonly (CustomResourceDefinition | undefined)[]): void {
    const refused = this.definitions.flatMap((definition, index) => {
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
    definition: CustomResourceDefinition,
    old: CustomResourceDefinition | undefined,
  ): Promise<DefinitionState> {
    const { client } = this;
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
  conversionOf: ConversionLookup,
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
