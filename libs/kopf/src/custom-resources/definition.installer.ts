import { Inject, Injectable } from '@nestjs/common';
import { WatchEnvironment } from '../client/watch/watch.environment.js';
import { InjectOwn, KOPF_OPTIONS } from '../kopf.tokens.js';
import { HandlerRegistry } from '../registry/handler.registry.js';
import type { Resource } from '../resources/resources.js';
import type { ObjectClass } from '../resources/object-class.js';
import type { CrdMode, CrdOptions } from './crd.options.js';
import { findCustomResource } from './custom-resource.decorator.js';
import type { ConversionLookup } from './definition.installation.js';
import type { CustomResourceDefinition } from './definition.interface.js';

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
    conversionOf: ConversionLookup = () => undefined,
  ): Promise<readonly CustomResourceDefinition[]> {
    if (this.settings.mode === 'ignore') return [];
    // Most operators do not install CRDs, and need none of the code that generates and compares them.
    const { DefinitionInstallation } = await import('./definition.installation.js');
    const installation = new DefinitionInstallation(this.types, conversionOf, this.settings, this.environment, signal);
    this.present = installation.resources;
    return installation.run();
  }
}
