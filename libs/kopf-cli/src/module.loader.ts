import { existsSync, realpathSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { dirname, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { KopfError } from 'nestjs-kopf';
import { errorText } from 'kube-common';
import type { CliEnvironment } from './cli.environment.js';
import { CommandError, UsageError } from './exit.codes.js';
import type { LoadedFiles } from './loaded.files.js';

/** A module of the user that was loaded. */
export interface LoadedModule {
  /** The path or the specifier by which it was asked for. */
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
}

const TYPESCRIPT = new Set(['.ts', '.mts', '.cts', '.tsx']);

/** The loader of modules of the user: files in JavaScript and TypeScript, and installed packages. */
export class ModuleLoader {
  private hasHooks = false;
  private isRecording = false;

  constructor(
    private readonly environment: Pick<CliEnvironment, 'folder' | 'typescriptHooks' | 'library'>,
    private readonly files?: LoadedFiles,
  ) {}

  /**
   * Imports a file.
   *
   * @throws UsageError if there is no such file; CommandError if it cannot be loaded.
   */
  async loadFile(path: string): Promise<LoadedModule> {
    const file = resolve(this.environment.folder, path);
    if (!existsSync(file)) throw new UsageError(`There is no file ${path}.`);
    return this.load(path, file);
  }

  /**
   * Imports a package, or a part of one, as a file in the current folder would.
   *
   * @throws UsageError if it is not installed; CommandError if it cannot be loaded.
   */
  async loadPackage(name: string): Promise<LoadedModule> {
    let file: string;
    try {
      file = createRequire(resolve(this.environment.folder, 'kopf.js')).resolve(name);
    } catch {
      throw new UsageError(`There is no module ${name}: it is not installed in ${this.environment.folder}.`);
    }
    return this.load(name, file);
  }

  private async load(name: string, file: string): Promise<LoadedModule> {
    this.requireOneLibrary(name, file);
    if (TYPESCRIPT.has(extname(file))) this.prepareTypeScript(name, file);
    if (!this.isRecording) this.files?.start();
    this.isRecording = true;
    try {
      const exports = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Record<string, unknown>;
      return { name, exports };
    } catch (error) {
      const isStartError = (error as Partial<KopfError> | null)?.code === 'KOPF_BOOTSTRAP';
      const text = isStartError ? describeStartFailure(error) : `${name} cannot be loaded: ${errorText(error)}`;
      throw new CommandError(text, { cause: error });
    }
  }

  /** Decorators of another copy of the library leave nothing that this copy finds. */
  private requireOneLibrary(name: string, file: string): void {
    const { library } = this.environment;
    if (!library) return;
    let other: string;
    try {
      other = dirname(createRequire(file).resolve('nestjs-kopf/package.json'));
    } catch {
      throw new CommandError(`${name} cannot import nestjs-kopf: install it where the file is.`);
    }
    if (realpathSync(other) === realpathSync(library)) return;
    throw new CommandError(
      `${name} uses another copy of nestjs-kopf, in ${other}. Install nestjs-kopf-cli there, and call npx -p nestjs-kopf-cli kopf from there.`,
    );
  }

  private prepareTypeScript(name: string, file: string): void {
    const { typescriptHooks } = this.environment;
    if (this.hasHooks || !typescriptHooks) return;
    try {
      createRequire(file).resolve('typescript');
    } catch {
      throw new CommandError(
        `${name} is in TypeScript, which is not installed there: npm install --save-dev typescript`,
      );
    }
    register(typescriptHooks, { data: { folder: dirname(file) } });
    // The compiled text has a map in it, so that errors name the lines of the source.
    process.setSourceMapsEnabled(true);
    this.hasHooks = true;
    this.isRecording = false;
  }
}

/** Returns the message about why an operator cannot start, the same for all commands. */
export function describeStartFailure(error: unknown): string {
  const text = errorText(error);
  const beginning = 'The operator cannot start:';
  return text.startsWith(beginning) ? text : `${beginning} ${text}`;
}
