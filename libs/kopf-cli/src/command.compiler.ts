import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { addDeclaredComments } from 'nestjs-kopf/plugin';
import { PathMapping } from './path.mapping.js';
import { FORCED_OPTIONS, type SourceCompiler } from './source.compiler.js';

/** `/folder/app.ts(3,7): error TS1005: ';' expected.`; what is wrong with types has other numbers, and is not asked for. */
const SYNTAX_ERROR = /^(.+)\((\d+),(\d+)\): error TS1\d{3}: (.*)$/gm;

/** Global types are not there, as no library is read; nothing that is emitted depends on them. */
const MISSING_LIBRARY = /^error TS2318: .*\n?/gm;

/**
 * The compiler by the command `tsc` of TypeScript 7 and later, which has no functions for programs. Each file is compiled on its own, as
 * types of others are not needed: that takes some hundredths of a second.
 */
export class CommandCompiler implements SourceCompiler {
  private readonly config: string | undefined;
  private readonly mapping: PathMapping;
  private command?: Promise<readonly string[]>;
  /** The compilers that run now: a file can import very many others, which Node.js loads at once. */
  private readonly running = new Set<Promise<unknown>>();

  /**
   * @param root the folder of the package `typescript`.
   * @param folder that from which the nearest `tsconfig.json` is searched upwards.
   */
  constructor(
    private readonly root: string,
    folder: string,
  ) {
    this.config = findConfig(folder);
    this.mapping = PathMapping.read(this.config);
  }

  resolve(specifier: string, importer: string): string | undefined {
    return this.mapping.resolve(specifier, importer);
  }

  async compile(fileName: string): Promise<string> {
    while (this.running.size >= availableParallelism()) await Promise.race(this.running);
    const compiling = this.compileNow(fileName);
    const end = (): void => void this.running.delete(ended);
    // The error of one file is no error of the files that wait for it.
    const ended = compiling.then(end, end);
    this.running.add(ended);
    return compiling;
  }

  private async compileNow(fileName: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'kopf-compiled-'));
    try {
      const config = join(folder, 'tsconfig.json');
      await writeFile(config, JSON.stringify(this.configure(fileName, join(folder, 'dist'))));
      const printed = await this.run(['--project', config, '--pretty', 'false']);
      const errors = [...printed.matchAll(SYNTAX_ERROR)].map(
        ([, path, line, column, text]) => `${basename(path)}:${line}:${column}: ${text}`,
      );
      if (errors.length > 0) throw new SyntaxError(errors.join('; '));
      const emitted = await readEmitted(join(folder, 'dist'));
      if (emitted.code === undefined) {
        throw new Error(`TypeScript has not compiled ${fileName}: ${printed.replace(MISSING_LIBRARY, '').trim()}`);
      }
      return addDeclaredComments(emitted.code, emitted.declarations);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** A project of one file, with the options of the project that it is of. */
  private configure(fileName: string, outDir: string): object {
    return {
      ...(this.config !== undefined && { extends: this.config }),
      files: [fileName],
      include: [],
      compilerOptions: {
        ...FORCED_OPTIONS,
        module: 'esnext',
        moduleResolution: 'bundler',
        target: 'es2022',
        outDir,
        rootDir: dirname(fileName),
        // The folder of the source, as the folder of the compiled file is not known.
        sourceRoot: `${pathToFileURL(dirname(fileName)).href}/`,
        mapRoot: null,
        tsBuildInfoFile: null,
        declarationDir: null,
        // The documentation is taken from the declarations.
        declaration: true,
        emitDeclarationOnly: false,
        removeComments: false,
        stripInternal: false,
        noCheck: true,
        noResolve: true,
        noLib: true,
        lib: null,
        types: [],
      },
    };
  }

  /** Runs the compiler; what it finds wrong is printed, and is no failure. */
  private async run(args: readonly string[]): Promise<string> {
    const [file, ...first] = await (this.command ??= findCommand(this.root));
    return new Promise((resolve, reject) => {
      execFile(file, [...first, ...args], { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
        if (error && typeof error.code !== 'number') reject(error);
        else resolve(stdout + stderr);
      });
    });
  }
}

/** The program of the compiler itself, as starting Node.js before it takes longer than compiling; else its command. */
async function findCommand(root: string): Promise<readonly string[]> {
  try {
    const address = pathToFileURL(join(root, 'lib/getExePath.js')).href;
    const { default: getExePath } = (await import(/* @vite-ignore */ address)) as { default: () => string };
    return [getExePath()];
  } catch {
    return [process.execPath, join(root, 'bin/tsc')];
  }
}

async function readEmitted(folder: string): Promise<{ readonly code?: string; readonly declarations: string }> {
  if (!existsSync(folder)) return { declarations: '' };
  const files = await readdir(folder);
  const read = (pattern: RegExp): Promise<string> | undefined => {
    const name = files.find((file) => pattern.test(file));
    return name === undefined ? undefined : readFile(join(folder, name), 'utf8');
  };
  return { code: await read(/\.[mc]?jsx?$/), declarations: (await read(/\.d\.[mc]?ts$/)) ?? '' };
}

function findConfig(folder: string): string | undefined {
  const file = join(folder, 'tsconfig.json');
  if (existsSync(file)) return file;
  return dirname(folder) === folder ? undefined : findConfig(dirname(folder));
}
