/** The part of `TestingModule` that loads packages which applications may need; Nest 11 loads them when they are needed. */
interface LazyPackages {
  preloadLazyPackages?: () => Promise<void>;
}

const preloads = new WeakSet<() => Promise<void>>();

/**
 * Lets Nest look for its optional packages once in a process, and not for each test. Nest keeps those that it has found, and asks the
 * file system again for those that are not installed, which takes longer than all the rest of a compilation.
 *
 * @param TestingModule the class of `@nestjs/testing`, which applications need not have.
 */
export function preloadPackagesOnce(TestingModule: { readonly prototype: object }): void {
  const module = TestingModule.prototype as LazyPackages;
  const preload = module.preloadLazyPackages;
  if (!preload || preloads.has(preload)) return;
  let preloaded: Promise<void> | undefined;
  module.preloadLazyPackages = () => (preloaded ??= preload());
  preloads.add(module.preloadLazyPackages);
}
