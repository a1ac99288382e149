import type { DynamicModule, ModuleMetadata, Type } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { Vault } from '../../client/vault/vault.js';
import { type Clock, type KubeTransport, type Random, SeededRandom } from 'kube-common';
import type { KopfLogger } from '../../common/kopf.logger.js';
import { HANDLERS_MODULE } from '../../decorators/module.notice.js';
import { createCoreProviders } from '../../kopf-core.module.js';
import { KopfModule } from '../../kopf.module.js';
import type { KopfModuleOptions } from '../../kopf.options.js';
import { DEFAULT_OPERATOR, KOPF_CLOCK, KOPF_LOGGER, KOPF_OPTIONS, KOPF_RANDOM } from '../../kopf.tokens.js';
import { tokenOf } from '../../discovery/operator.providers.js';
import { createVault } from '../../operator/vault.factory.js';
import { KopfSettings } from '../../settings/kopf.settings.js';
import type { KopfTestOptions } from '../kopf-test.options.js';
import { observedProviders, type OperatorRecords } from './observed.providers.js';
import { preloadPackagesOnce } from './optional.packages.js';
import { recordReplaced, replaceProvider, wireProviders, type Replacement } from './provider.wiring.js';
import type { TestServer } from '../server/test.server.js';

const OTHER_COPY =
  'The application imports KopfModule from another copy of nestjs-kopf than the one that tests it, so that two operators would start. ' +
  'Install one version only, and load it everywhere by import, or everywhere by require(): `npm ls nestjs-kopf` lists the copies.';

/** The environment of an application under test. */
export interface TestEnvironment {
  readonly options: KopfTestOptions;
  readonly server: TestServer;
  readonly records: OperatorRecords;
  readonly logger: KopfLogger;
  readonly transport: KubeTransport;
  /** The replacements of the library's providers, besides those of each test. */
  readonly replacements?: readonly Replacement[];
  /**
   * Whether the test itself makes the library's providers, so that the application starts faster, unless it replaces any of them. @default
   * false
   */
  readonly isWired?: boolean;
}

/** Compiles the application of a test: with the API server, the time, and the randomness of the test, and observed. */
export async function compileApplication(environment: TestEnvironment): Promise<TestingModule> {
  const { options } = environment;
  const { Test, TestingModule } = await import('@nestjs/testing');
  preloadPackagesOnce(TestingModule);
  const { imports = [], controllers, providers } = options;
  const all = await addKopf(imports, options.kopf);
  const builder = Test.createTestingModule({ imports: all, controllers, providers });
  const replacements = [...replacementsOf(environment), ...(environment.replacements ?? [])];
  for (const replacement of replacements) replaceProvider(builder, replacement);
  const replaced = recordReplaced(builder, () => options.override?.(builder));
  const core = createCoreProviders(DEFAULT_OPERATOR);
  if (environment.isWired && !core.some((provider) => replaced.has(tokenOf(provider)))) {
    wireProviders(builder, [...core, ...replacements]);
  }
  const module = await builder.compile();
  restrictNamespaces(module, environment.server);
  return module;
}

/**
 * Adds KopfModule to the imports, unless one of them brings it.
 *
 * @throws Error if one of them brings the module of another copy of the library.
 */
export async function addKopf(
  imports: NonNullable<ModuleMetadata['imports']> = [],
  options?: KopfTestOptions['kopf'],
): Promise<NonNullable<ModuleMetadata['imports']>> {
  return (await bringsKopf(imports)) ? imports : [...imports, KopfModule.forRoot(options)];
}

/** Makes the replacements by which the operator gets the API server, the time, and the randomness of the test, and is observed. */
function replacementsOf({ records, logger, server, transport }: TestEnvironment): readonly Replacement[] {
  // Login handlers and given credentials are for other servers.
  const credentials = { server: server.url, transport, defaultNamespace: server.namespace };
  return [
    { provide: KOPF_CLOCK, useValue: records.process },
    { provide: KOPF_RANDOM, useValue: new SeededRandom(2) },
    { provide: KOPF_LOGGER, useValue: logger },
    {
      provide: Vault,
      useFactory: (settings: KopfSettings, clock: Clock, random: Random, own: KopfLogger) =>
        createVault({ credentials }, settings, clock, random, own),
      inject: [KopfSettings, KOPF_CLOCK, KOPF_RANDOM, KOPF_LOGGER],
    },
    ...observedProviders({ ...records, reviews: server.webhooks?.serverOf(records.process) }),
  ];
}

/** Other tests must not see the objects of this one. */
function restrictNamespaces(module: TestingModule, { isShared, namespace }: TestServer): void {
  if (isShared) module.get<KopfModuleOptions>(KOPF_OPTIONS, { strict: false }).namespaces = namespace;
}

/** Whether any of the modules imports KopfModule. */
async function bringsKopf(
  imports: NonNullable<ModuleMetadata['imports']>,
  seen = new Set<unknown>(),
): Promise<boolean> {
  for (const imported of imports) {
    const resolved = (await imported) as Type | DynamicModule | { forwardRef: () => Type };
    const module = 'forwardRef' in resolved ? resolved.forwardRef() : resolved;
    const type = 'module' in module ? module.module : module;
    if (type === KopfModule) return true;
    // A second operator would not be that of the test: it would take the credentials of the environment.
    if (Reflect.hasMetadata(HANDLERS_MODULE, type)) throw new Error(OTHER_COPY);
    if (seen.has(module)) continue;
    seen.add(module);
    const declared = (Reflect.getMetadata('imports', type) ?? []) as NonNullable<ModuleMetadata['imports']>;
    const added = 'module' in module ? (module.imports ?? []) : [];
    if (await bringsKopf([...declared, ...added], seen)) return true;
  }
  return false;
}
