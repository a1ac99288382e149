import { Injectable } from '@nestjs/common';
import { KopfBootstrapError } from '../common/kopf.errors.js';
import { customResourceOf } from '../custom-resources/custom-resource.decorator.js';
import { DefinitionInstaller } from '../custom-resources/definition.installer.js';
import { HandlerRegistry } from '../registry/handler.registry.js';
import { createGraphs, findConversionViolations, type KnownVersions } from './conversion.checks.js';
import type { ConversionGraph } from './conversion.graph.js';
import { InjectOwn } from '../kopf.tokens.js';

/** The conversions of all resources, and the versions that the classes declare, once they were {@link check}ed. */
@Injectable()
export class ConversionGraphs {
  private graphs: ReadonlyMap<string, ConversionGraph> = new Map();
  private versions: KnownVersions = new Map();

  constructor(
    @InjectOwn(HandlerRegistry) private readonly registry: HandlerRegistry,
    @InjectOwn(DefinitionInstaller) private readonly definitions: DefinitionInstaller,
  ) {}

  /** The graphs by the names of the CRDs; empty if there are no conversions. */
  get all(): ReadonlyMap<string, ConversionGraph> {
    return this.graphs;
  }

  /** The CRDs of those classes that have conversions; resources without a class are missing. */
  get known(): KnownVersions {
    return this.versions;
  }

  /**
   * Reads the conversions of the registry, and checks that each version can be converted to each other one.
   *
   * @throws KopfBootstrapError that names the methods and options of all violations.
   */
  async check(): Promise<void> {
    const conversions = this.registry.allConversions();
    if (conversions.length === 0) return;
    this.versions = await this.define(new Set(conversions.map(({ definition }) => definition)));
    this.graphs = createGraphs(conversions, this.versions);
    const violations = findConversionViolations(this.graphs.values(), this.versions);
    if (violations.length > 0) throw new KopfBootstrapError(violations);
  }

  private async define(names: ReadonlySet<string>): Promise<KnownVersions> {
    const { customResourceDefinitions } = await import('../custom-resources/custom-resource.definition.js');
    const types = this.definitions.types.filter((type) => {
      const { plural, group } = customResourceOf(type);
      return names.has(`${plural}.${group}`);
    });
    return new Map(customResourceDefinitions(types).map((definition) => [definition.metadata.name, definition]));
  }
}
