import type { DynamicModule, ModuleMetadata, Type } from '@nestjs/common';
import type { TestingModule, TestingModuleBuilder } from '@nestjs/testing';
import { Vault } from '../client/vault/vault.js';
import type { KubeTransport } from '../client/http/kube.transport.js';
import { SeededRandom, type Random } from '../common/random.js';
import type { Clock } from '../common/clock.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import { KopfModule } from '../kopf.module.js';
import type { KopfModuleOptions } from '../kopf.options.js';
import { KOPF_CLOCK, KOPF_LOGGER, KOPF_OPTIONS, KOPF_RANDOM } from '../kopf.tokens.js';
import { createVault } from '../operator/vault.factory.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import type { KopfTestOptions } from './kopf-test.options.js';
import { observeProviders, type OperatorRecords } from './observed.providers.js';
import { preloadPackagesOnce } from './optional.packages.js';
import type { TestServer } from './test.server.js';

/** Lists what an application under test is put into. */
export interface TestEnvironment {
  readonly options: KopfTestOptions;
  readonly server: TestServer;
  readonly records: OperatorRecords;
  readonly logger: KopfLogger;
  readonly transport: KubeTransport;
}

/** Compiles the application of a test: with the API server, the time, and the randomness of the test, and observed. */
export async function compileApplication(environment: TestEnvironment): Promise<TestingModule> {
  const { options, records, logger, server } = environment;
  const { Test, TestingModule } = await import('@nestjs/testing');
  preloadPackagesOnce(TestingModule);
  const { imports = [], controllers, providers } = options;
  const all = await addKopf(imports, options.kopf);
  const builder = Test.createTestingModule({ imports: all, controllers, providers });
  builder.overrideProvider(KOPF_CLOCK).useValue(records.process);
  builder.overrideProvider(KOPF_RANDOM).useValue(new SeededRandom(2));
  builder.overrideProvider(KOPF_LOGGER).useValue(logger);
  overrideVault(builder, environment);
  observeProviders(builder, { ...records, reviews: server.webhooks?.serverOf(records.process) });
  options.override?.(builder);
  const module = await builder.compile();
  restrictNamespaces(module, environment.server);
  return module;
}

/** Adds KopfModule to the imports, unless one of them brings it. */
export async function addKopf(
  imports: NonNullable<ModuleMetadata['imports']> = [],
  options?: KopfTestOptions['kopf'],
): Promise<NonNullable<ModuleMetadata['imports']>> {
  return (await bringsKopf(imports)) ? imports : [...imports, KopfModule.forRoot(options)];
}

/** Login handlers and given credentials are for other servers. */
function overrideVault(builder: TestingModuleBuilder, { server, transport }: TestEnvironment): void {
  const credentials = { server: server.url, transport, defaultNamespace: server.namespace };
  builder.overrideProvider(Vault).useFactory({
    factory: (settings: KopfSettings, clock: Clock, random: Random, logger: KopfLogger) =>
      createVault({ credentials }, settings, clock, random, logger),
    inject: [KopfSettings as Type, KOPF_CLOCK, KOPF_RANDOM, KOPF_LOGGER] as never,
  });
}

/** Other tests must not see the objects of this one. */
function restrictNamespaces(module: TestingModule, { isShared, namespace }: TestServer): void {
  if (isShared) module.get<KopfModuleOptions>(KOPF_OPTIONS, { strict: false }).namespaces = namespace;
}

/** Tells whether any of the modules imports KopfModule. */
async function bringsKopf(
  imports: NonNullable<ModuleMetadata['imports']>,
  seen = new Set<unknown>(),
): Promise<boolean> {
  for (const imported of imports) {
    const resolved = (await imported) as Type | DynamicModule | { forwardRef: () => Type };
    const module = 'forwardRef' in resolved ? resolved.forwardRef() : resolved;
    const type = 'module' in module ? module.module : module;
    if (type === KopfModule) return true;
    if (seen.has(module)) continue;
    seen.add(module);
    const declared = (Reflect.getMetadata('imports', type) ?? []) as NonNullable<ModuleMetadata['imports']>;
    const added = 'module' in module ? (module.imports ?? []) : [];
    if (await bringsKopf([...declared, ...added], seen)) return true;
  }
  return false;
}
