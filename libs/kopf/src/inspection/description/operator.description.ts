import type { INestApplicationContext, Type } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { HostServer } from '../../admission/controller/host.server.js';
import type { AdmissionServerDescription } from '../../reviews/admission-server.interface.js';
import { customResourceDefinitions } from '../../custom-resources/custom-resource.definition.js';
import type { CustomResourceDefinition } from '../../custom-resources/definition.interface.js';
import { DefinitionInstaller } from '../../custom-resources/definition.installer.js';
import { needsOfClass, needsOfMethod, type NeedsMetadata } from '../../decorators/needs.decorator.js';
import { HandlerExplorer } from '../../discovery/handler.explorer.js';
import type { KopfModuleOptions } from '../../kopf.options.js';
import { DEFAULT_OPERATOR, KOPF_OPTIONS, operatorTokenOf, type OperatorService } from '../../kopf.tokens.js';
import { HandlerRegistry } from '../../registry/handler.registry.js';
import { buildSettings, KopfSettings, SETTINGS_GROUPS, type SettingsOptions } from '../../settings/kopf.settings.js';
import { compareTexts } from '../permissions/permission.js';
import { findRoutes, type HttpRoutes } from './http.routes.js';
import { createPassive, type ApplicationModule } from './passive.application.js';

/** The application that has the operator: as it runs, or the module that it is made of. */
export type ManifestSource = INestApplicationContext | ApplicationModule;

/** The services of an application: the application itself, or `ModuleRef`. */
export type Services = Pick<INestApplicationContext, 'get'>;

/** The permissions that a class or a method declares by `@Needs()`, and its name. */
export interface DeclaredNeeds extends NeedsMetadata {
  /** `VolumeService`, or `VolumeService.create`. */
  readonly source: string;
}

/** The description of an operator, as far as it is known without a cluster. */
export interface OperatorDescription {
  readonly options: KopfModuleOptions;
  readonly settings: KopfSettings;
  readonly handlers: HandlerRegistry;
  readonly needs: readonly DeclaredNeeds[];
  readonly routes: HttpRoutes;
  /** The CRDs of the classes with `@CustomResource()` that handlers are declared for. */
  readonly definitions: readonly CustomResourceDefinition[];
  /** The server of webhooks, if there are any and it can be described. */
  readonly server?: AdmissionServerDescription;
}

/** The operator to describe, and the settings that its startup handlers would change. */
export interface DescriptionOptions {
  /** The name of the operator, if it has one. @default the operator without a name */
  readonly operator?: string;
  /** The settings that startup handlers change, as these are not called. @default as in the options of the module */
  readonly settings?: SettingsOptions;
}

/**
 * Describes an operator. Of a module, providers are created, but no lifecycle hook is called, and the operator does not start.
 *
 * @throws KopfBootstrapError if declarations of handlers, or classes of custom resources, are wrong.
 */
export async function describeOperator(
  source: ManifestSource,
  options: DescriptionOptions = {},
): Promise<OperatorDescription> {
  if (isApplication(source)) return buildDescription(source, options);
  const application = await createPassive(source);
  try {
    const explorer = find(application, options.operator, HandlerExplorer);
    await explorer.load();
    explorer.explore();
    return buildDescription(application, options);
  } finally {
    await application.close().catch(() => undefined);
  }
}

/** Describes an operator of a running application. */
export function describeRunningOperator(application: Services, operator: string): OperatorDescription {
  return buildDescription(application, { operator });
}

function isApplication(source: ManifestSource): source is INestApplicationContext {
  return typeof source === 'object' && 'select' in source && 'get' in source;
}

function buildDescription(application: Services, { operator, settings = {} }: DescriptionOptions): OperatorDescription {
  const handlers = find(application, operator, HandlerRegistry);
  const all = overlay(find(application, operator, KopfSettings), settings);
  return {
    options: find<KopfModuleOptions>(application, operator, KOPF_OPTIONS),
    settings: all,
    handlers,
    needs: findNeeds(application),
    routes: findRoutes(application),
    definitions: customResourceDefinitions(find(application, operator, DefinitionInstaller).types),
    ...(handlers.allAdmission().length + handlers.allConversions().length > 0 && {
      server: describeServer(application, operator, all),
    }),
  };
}

/** Describes the server of the settings or, without one, the application, if it has the controller of reviews. */
function describeServer(
  application: Services,
  operator: string | undefined,
  { admission }: KopfSettings,
): AdmissionServerDescription | undefined {
  if (admission.server) return admission.server.describe?.();
  try {
    return find<HostServer>(application, operator, HostServer).describe();
  } catch {
    return undefined;
  }
}

function find<T>(
  application: Services,
  operator: string = DEFAULT_OPERATOR,
  service: OperatorService & (symbol | (abstract new (...args: never[]) => T)),
): T {
  return application.get<T>(operatorTokenOf(operator, service) as Type<T>, { strict: false });
}

function overlay(settings: KopfSettings, options: SettingsOptions): KopfSettings {
  const present = Object.fromEntries(SETTINGS_GROUPS.map((group) => [group, { ...settings[group] }]));
  return buildSettings(options, present as SettingsOptions);
}

/** Finds what is declared on the classes of all providers and controllers, in the order of their names. */
function findNeeds(application: Services): readonly DeclaredNeeds[] {
  const discovery = application.get(DiscoveryService, { strict: false });
  const scanner = new MetadataScanner();
  const types = new Set<Type>();
  for (const { metatype, inject, instance } of [...discovery.getProviders(), ...discovery.getControllers()]) {
    const type: unknown = inject === undefined || inject === null ? metatype : (instance as object | null)?.constructor;
    if (typeof type === 'function' && type.prototype) types.add(type as Type);
  }
  const found = [...types].flatMap((type): readonly DeclaredNeeds[] => {
    const ofMethods = scanner.getAllMethodNames(type.prototype as object).flatMap((name) => {
      const method = (type.prototype as Record<string, object>)[name];
      return needsOfMethod(method).map((needs) => ({ ...needs, source: `${type.name}.${name}` }));
    });
    return [...needsOfClass(type).map((needs) => ({ ...needs, source: type.name })), ...ofMethods];
  });
  return found.sort((one, other) => compareTexts(one.source, other.source));
}
