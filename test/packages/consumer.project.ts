import { execFile, type ExecFileException } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { TestProcess } from '../support/programs/child.process.js';
import { findInstalled, type PackedLibrary } from './packed.library.js';

const FIXTURES = join(import.meta.dirname, 'fixtures');

/** The packages of a new Nest project; the libraries need nothing besides. */
const DEPENDENCIES = ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs'];
/** The peers of some entry points. */
const OPTIONAL_PEERS = ['@nestjs/terminus', '@opentelemetry/api', 'prom-client'];
const DEV_DEPENDENCIES = ['@nestjs/testing', '@types/node', 'rolldown', 'typescript'];

const execute = promisify(execFile);

/**
 * The way in which a project is compiled: to modules, to CommonJS with the packages' `exports`, or to CommonJS as before there were any
 * (`"module": "commonjs"`, `"moduleResolution": "node10"`).
 */
export type ModuleSystem = 'module' | 'commonjs' | 'classic';

/** An application outside of the workspace that uses the libraries. */
export class ConsumerProject {
  constructor(
    private readonly folder: string,
    private readonly type: ModuleSystem,
  ) {}

  /** Writes the project's files. */
  write(): void {
    mkdirSync(this.folder, { recursive: true });
    cpSync(FIXTURES, this.folder, { recursive: true });
    this.json('package.json', {
      name: 'consumer',
      private: true,
      type: this.type === 'module' ? 'module' : 'commonjs',
    });
    this.json('tsconfig.json', {
      compilerOptions: {
        ...(this.type === 'classic'
          ? { module: 'commonjs', moduleResolution: 'node10', esModuleInterop: true, ignoreDeprecations: '6.0' }
          : { module: 'nodenext' }),
        target: 'ES2023',
        strict: true,
        experimentalDecorators: true,
        emitDecoratorMetadata: true,
        skipLibCheck: false,
        outDir: 'dist',
        rootDir: '.',
        types: ['node'],
      },
      include: ['*.ts'],
    });
  }

  /** Puts the packages of the tarballs into the project, with exactly the dependencies that they declare, from the workspace. */
  link(libraries: readonly PackedLibrary[]): void {
    for (const dependency of [...DEPENDENCIES, ...OPTIONAL_PEERS, ...DEV_DEPENDENCIES]) {
      this.linkTo(findInstalled(dependency), join('node_modules', dependency));
    }
    for (const { manifest, folder, source } of libraries) {
      const target = join('node_modules', manifest.name);
      cpSync(folder, join(this.folder, target), { recursive: true });
      for (const dependency of Object.keys(manifest.dependencies ?? {})) {
        this.linkTo(findInstalled(dependency, source), join(target, 'node_modules', dependency));
      }
      for (const [command, file] of Object.entries(manifest.bin ?? {})) {
        chmodSync(join(this.folder, target, file), 0o755);
        this.linkTo(join('..', manifest.name, file), join('node_modules/.bin', command));
      }
    }
  }

  /**
   * Installs the tarballs, and what they need, with npm.
   *
   * @param others versions of dependencies that are not those of the workspace.
   * @param flags further options of npm.
   */
  async install(
    libraries: readonly PackedLibrary[],
    others: Readonly<Record<string, string>> = {},
    flags: readonly string[] = [],
  ): Promise<void> {
    const versions = [...DEPENDENCIES, ...DEV_DEPENDENCIES].map((dependency) => {
      if (dependency in others) return `${dependency}@${others[dependency]}`;
      const { version } = JSON.parse(readFileSync(join(findInstalled(dependency), 'package.json'), 'utf8')) as {
        version: string;
      };
      return `${dependency}@${version}`;
    });
    const tarballs = libraries.map(({ tarball }) => tarball);
    const options = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
    await execute('npm', ['install', ...options, ...flags, ...versions, ...tarballs], { cwd: this.folder });
  }

  /**
   * Compiles the project with full checks of the libraries' types.
   *
   * @param version the compiler: that of TypeScript 6, or the native one of TypeScript 7. Defaults to 6.
   * @returns the compiler's errors, one a line.
   */
  async compile(version: 6 | 7 = 6): Promise<readonly string[]> {
    const compiler = join(findInstalled(version === 6 ? 'typescript' : 'typescript7'), 'bin/tsc');
    try {
      await execute(process.execPath, [compiler, '--pretty', 'false'], { cwd: this.folder });
      return [];
    } catch (error) {
      return ((error as ExecFileException).stdout ?? '').split('\n').filter((line) => /error TS\d+/.test(line));
    }
  }

  /** Runs a command of the installed packages; returns what it prints. */
  async call(command: string, ...args: readonly string[]): Promise<string> {
    const { stdout } = await execute(join('node_modules/.bin', command), args, { cwd: this.folder });
    return stdout.trim();
  }

  /** Starts a command of the installed packages. */
  start(command: string, ...args: readonly string[]): TestProcess {
    return new TestProcess(join(this.folder, 'node_modules/.bin', command), args, {}, this.folder);
  }

  /** Runs the program; returns what it prints. */
  async run(program = join(this.folder, 'dist/main.js'), env: NodeJS.ProcessEnv = {}): Promise<string> {
    const options = { cwd: dirname(program), env: { ...process.env, ...env } };
    const { stdout } = await execute(process.execPath, [program], options);
    return stdout.trim();
  }

  /** Tells for each path whether `import` and `require()` give the `same` module, or `two`. */
  async compareInstances(paths: readonly string[]): Promise<readonly string[]> {
    const program = join(this.folder, 'compare.cjs');
    writeFileSync(
      program,
      `(async () => {
        for (const path of ${JSON.stringify(paths)}) {
          const [imported, required] = [await import(path), require(path)];
          const names = Object.keys(required).filter((name) => /^(function|symbol)$/.test(typeof required[name]));
          console.log(names.length > 0 && names.every((name) => imported[name] === required[name]) ? 'same' : 'two');
        }
      })();`,
    );
    return (await this.run(program)).split('\n');
  }

  /** The stack trace of an error that the library throws, as Node.js prints it with source maps. */
  readStackTrace(): Promise<string> {
    const program = join(this.folder, 'stack.cjs');
    writeFileSync(
      program,
      `const { parseJson } = require('nestjs-kopf');
      try { parseJson('{'); } catch (error) { console.log(error.stack); }`,
    );
    return this.run(program, { NODE_OPTIONS: '--enable-source-maps' });
  }

  /** Runs the program with the logger that Nest has by default; returns what it prints without colors. */
  runWithLogs(): Promise<string> {
    return this.run(undefined, { LOGS: 'yes', NO_COLOR: '1' });
  }

  /**
   * Brings the compiled program into one file.
   *
   * @param config the bundler's configuration, which puts its files into the folder `bundle`.
   * @returns where its files are, away from the project and its packages.
   */
  async bundle(config: string): Promise<string> {
    writeFileSync(join(this.folder, 'rolldown.config.mjs'), config);
    const bundler = join(findInstalled('rolldown'), 'bin/cli.mjs');
    await execute(process.execPath, [bundler, '-c', 'rolldown.config.mjs'], { cwd: this.folder });
    const target = `${this.folder}-bundle`;
    renameSync(join(this.folder, 'bundle'), target);
    return target;
  }

  /** The compiled program's text. */
  get program(): string {
    return readFileSync(join(this.folder, 'dist/main.js'), 'utf8');
  }

  /** The packages that were installed. */
  get packages(): readonly string[] {
    return readdirSync(join(this.folder, 'node_modules'));
  }

  /** The version of a package that was installed. */
  versionOf(name: string): string {
    const manifest = readFileSync(join(this.folder, 'node_modules', name, 'package.json'), 'utf8');
    return (JSON.parse(manifest) as { version: string }).version;
  }

  private json(file: string, content: object): void {
    writeFileSync(join(this.folder, file), JSON.stringify(content, null, 2));
  }

  private linkTo(target: string, path: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    symlinkSync(target, join(this.folder, path), 'junction');
  }
}
