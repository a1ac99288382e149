import { Injectable } from '@nestjs/common';
import { KopfBootstrapError } from '../common/kopf.errors.js';
import { customResourceOf } from '../custom-resources/custom-resource.decorator.js';
import { customResourceDefinitions } from '../custom-resources/custom-resource.definition.js';
import { DefinitionInstaller } from '../custom-resources/definition.installer.js';
import { HandlerRegistry } from '../registry/handler.registry.js';
import { createGraphs, findConversionViolations, type KnownVersions } from './conversion.checks.js';
import type { ConversionGraph } from './conversion.graph.js';
import { InjectOwn } from '../kopf.tokens.js';

/** The conversions of all resources, and the versions that the classes declare. */
@Injectable()
export class ConversionGraphs {
  private created?: ReadonlyMap<string, ConversionGraph>;
  private declared?: KnownVersions;

  constructor(
    @InjectOwn(HandlerRegistry) private readonly registry: HandlerRegistry,
    @InjectOwn(DefinitionInstaller) private readonly definitions: DefinitionInstaller,
  ) {}

  /** The graphs by the names of the CRDs; empty if there are no conversions. */
  get all(): ReadonlyMap<string, ConversionGraph> {
    this.created ??= createGraphs(this.registry.allConversions(), this.known);
    return this.created;
  }

  /** The CRDs of those classes that have conversions; resources without a class are missing. */
  get known(): KnownVersions {
    this.declared ??= this.define();
    return this.declared;
  }

  /**
   * Checks that each version can be converted to each other one.
   *
   * @throws KopfBootstrapError that names the methods and options of all violations.
   */
  check(): void {
    const violations = findConversionViolations(this.all.values(), this.known);
    if (violations.length > 0) throw new KopfBootstrapError(violations);
  }

  private define(): KnownVersions {
    const names = new Set(this.registry.allConversions().map(({ definition }) => definition));
    if (names.size === 0) return new Map();
    const types = this.definitions.types.filter((type) => {
      const { plural, group } = customResourceOf(type);
      return names.has(`${plural}.${group}`);
    });
    return new Map(customResourceDefinitions(types).map((definition) => [definition.metadata.name, definition]));
  }
}
