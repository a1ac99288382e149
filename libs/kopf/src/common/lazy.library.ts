import { createRequire } from 'node:module';

/**
 * A package that is read only in applications that use it. What can wait loads it by `import()`, which bundlers understand; what cannot wait
 * gets it by `require()`.
 */
export class LazyLibrary<Library> {
  private library?: Library;

  /** @param importer imports the package by its name, so that a bundler finds it. */
  constructor(
    private readonly name: string,
    private readonly importer: () => Promise<Library>,
  ) {}

  /** Loads the package, unless it is loaded. */
  async load(): Promise<void> {
    this.library ??= await this.importer();
  }

  /** Returns the package, and loads it if {@link load} was not called before. */
  get(): Library {
    return (this.library ??= createRequire(import.meta.url)(this.name) as Library);
  }
}
