import { Inject, Injectable } from '@nestjs/common';
import { WatchEnvironment } from '../client/watch/watch.environment.js';
import { KopfBootstrapError } from '../common/kopf.errors.js';
import { KOPF_OPTIONS } from '../kopf.tokens.js';
import { HandlerRegistry } from '../registry/handler.registry.js';
import type { ObjectClass } from '../resources/object-class.js';
import { CustomResourceError } from './crd.error.js';
import type { CrdMode, CrdOptions } from './crd.options.js';
import { findCustomResource } from './custom-resource.decorator.js';
import { customResourceDefinitions } from './custom-resource.definition.js';
import { DefinitionClient } from './definition.client.js';
import { findDefinitionDifferences, hasOtherVersions } from './definition.differences.js';
import type { CustomResourceDefinition } from './definition.interface.js';
import { findDefinitionChanges, storedVersionsOf } from './evolution/definition.changes.js';
import { createTransition, findMigrationChanges } from './evolution/version.transition.js';

/** Brings the CRDs of the cluster up to date when the operator starts, or makes sure that they are. */
@Injectable()
export class DefinitionInstaller {
  private readonly settings: CrdOptions;

  constructor(
    @Inject(KOPF_OPTIONS) { crds = 'ignore' }: { readonly crds?: CrdMode | CrdOptions },
    @Inject(HandlerRegistry) private readonly registry: HandlerRegistry,
    @Inject(WatchEnvironment) private readonly environment: WatchEnvironment,
  ) {
    this.settings = typeof crds === 'string' ? { mode: crds } : crds;
  }

  /** Lists the classes with `@CustomResource()` that handlers are declared for, and those of the option `crds`. */
  get types(): readonly ObjectClass[] {
    const declared = this.registry.declarations().filter((type) => findCustomResource(type));
    return [...new Set([...(declared as unknown as ObjectClass[]), ...(this.settings.types ?? [])])];
  }

  /**
   * Applies or verifies the CRDs.
   *
   * @throws CustomResourceError if the cluster does not have them, or does not let the operator create them.
   * @throws KopfBootstrapError if they would break stored objects or clients; it names rules and paths.
   */
  async install(signal: AbortSignal): Promise<void> {
    const { mode } = this.settings;
    if (mode === 'ignore') return;
    const definitions = customResourceDefinitions(this.types);
    const client = new DefinitionClient(this.environment.api, this.environment.clock, signal);
    const stored = await Promise.all(definitions.map(({ metadata }) => client.read(metadata.name)));
    if (mode === 'verify') verify(definitions, stored);
    else {
      // Nothing is applied if anything is wrong.
      this.refuseChanges(definitions, stored);
      for (const [index, definition] of definitions.entries()) await this.apply(client, definition, stored[index]);
    }
    for (const { metadata } of definitions) await client.established(metadata.name);
  }

  private refuseChanges(
    definitions: readonly CustomResourceDefinition[],
    stored: readonly (CustomResourceDefinition | undefined)[],
  ): void {
    const refused = definitions.flatMap((definition, index) => {
      const old = stored[index];
      if (!old) return [];
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
  ): Promise<void> {
    const { logger } = this.environment;
    const { name } = definition.metadata;
    const { force = true } = this.settings;
    if (old && !hasOtherVersions(old, definition) && findDefinitionDifferences(old, definition).length === 0) return;
    const transition = old && createTransition(old, definition);
    if (old && transition) {
      const { name: version } = definition.spec.versions.find(({ storage }) => storage)!;
      await client.apply(transition, force);
      const count = await client.rewrite(definition, version);
      await client.setStoredVersions(name, [version]);
      const before = storedVersionsOf(old).join(', ');
      logger.log(`Objects of ${name} are stored in ${version} now: ${count} were rewritten, from ${before}.`);
    }
    await client.apply(definition, force);
    logger.log(`The CRD ${name} is ${old ? 'brought up to date' : 'created'}.`);
  }
}

function verify(
  definitions: readonly CustomResourceDefinition[],
  stored: readonly (CustomResourceDefinition | undefined)[],
): void {
  const texts = definitions.flatMap((definition, index) => {
    const { name } = definition.metadata;
    const old = stored[index];
    if (!old) return [`${name} does not exist`];
    const differences = findDefinitionDifferences(old, definition);
    return differences.length > 0 ? [`${name} differs at ${differences.join(', ')}`] : [];
  });
  if (texts.length === 0) return;
  const advice = "Apply the CRDs that are generated from the classes, or start with crds: 'apply'.";
  throw new CustomResourceError(`The cluster does not have the CRDs of the classes: ${texts.join('; ')}. ${advice}`);
}
