import type { FactoryProvider, InjectionToken, Provider, Type, ValueProvider } from '@nestjs/common';
import type { TestingModuleBuilder } from '@nestjs/testing';
import { readDependencies } from '../../discovery/nest.internals.js';

/** A provider that takes the place of another one. */
export type Replacement = ValueProvider | (FactoryProvider & { readonly inject: InjectionToken[] });

/** The way in which a provider is made. */
interface Recipe {
  readonly inject: readonly InjectionToken[];
  readonly make: (...dependencies: unknown[]) => unknown;
  /** Whether the provider is another name of an existing one. */
  readonly isAlias?: boolean;
}

/** Replaces a provider of the application, in any module. */
export function replaceProvider(builder: TestingModuleBuilder, provider: Replacement): void {
  const override = builder.overrideProvider(provider.provide);
  if ('useValue' in provider) override.useValue(provider.useValue);
  else override.useFactory({ factory: provider.useFactory, inject: provider.inject as never });
}

/**
 * Makes providers that depend on each other one after the other, instead of Nest, which waits for several promises at each dependency. This is
 * a twentieth of the time of simulations, which start the operator thousands of times. Nest gets what was made, and still makes all that the
 * application provides.
 *
 * @param providers classes that inject by `@Inject()` only, values, other providers, and factories that return no promises. The last one of
 * a token counts.
 */
export function wireProviders(builder: TestingModuleBuilder, providers: readonly Provider[]): void {
  const recipes = new Map(providers.map(recipeOf));
  const made = new Map<InjectionToken, unknown>();
  const get = (token: InjectionToken): unknown => {
    if (made.has(token)) return made.get(token);
    const { inject, make } = recipes.get(token)!;
    const instance = make(...inject.map(get));
    made.set(token, instance);
    return instance;
  };
  const outside = new Set([...recipes.values()].flatMap(({ inject }) => inject).filter((token) => !recipes.has(token)));
  // Aliases stay as they are: Nest 11 takes a replaced one for an alias of whatever its factory injects first.
  const [first, ...others] = [...recipes].filter(([, { isAlias }]) => !isAlias).map(([token]) => token);
  const begin = (...given: unknown[]): unknown => {
    [...outside].forEach((token, index) => made.set(token, given[index]));
    return get(first);
  };
  replaceProvider(builder, { provide: first, useFactory: begin, inject: [...outside] });
  for (const token of others) {
    replaceProvider(builder, { provide: token, useFactory: () => get(token), inject: [first] });
  }
}

/** Returns the providers that are replaced while a function runs. */
export function recordReplaced(builder: TestingModuleBuilder, replace: () => unknown): ReadonlySet<unknown> {
  const replaced = new Set<unknown>();
  const { overrideProvider } = builder;
  builder.overrideProvider = (token: unknown) => {
    replaced.add(token);
    return overrideProvider.call(builder, token);
  };
  try {
    replace();
  } finally {
    builder.overrideProvider = overrideProvider;
  }
  return replaced;
}

function recipeOf(provider: Provider): [InjectionToken, Recipe] {
  if (typeof provider === 'function') return [provider, constructionOf(provider as Type)];
  if ('useClass' in provider) return [provider.provide, constructionOf(provider.useClass as Type)];
  if ('useValue' in provider) return [provider.provide, { inject: [], make: () => provider.useValue as unknown }];
  if ('useExisting' in provider) {
    const inject = [provider.useExisting as InjectionToken];
    return [provider.provide, { inject, make: (existing) => existing, isAlias: true }];
  }
  const { useFactory, inject = [] } = provider as FactoryProvider;
  return [provider.provide, { inject: inject as InjectionToken[], make: useFactory }];
}

function constructionOf(type: Type): Recipe {
  return { inject: readDependencies(type), make: (...dependencies) => new type(...dependencies) as unknown };
}
