import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PUBLISHED_FOLDERS } from '../tools/libraries.mjs';

const ROOT = join(import.meta.dirname, '../..');

const execute = promisify(execFile);

/** The files of an entry point, by the condition under which each is taken. */
export interface Conditions {
  readonly types: string;
  readonly default: string;
  readonly [condition: string]: string | Conditions;
}

/** The parts of a package.json that the tests read. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly main: string;
  readonly types: string;
  readonly typesVersions?: Readonly<Record<'*', Readonly<Record<string, readonly string[]>>>>;
  /** The files of each entry point by conditions, which may be nested. */
  readonly exports: Readonly<Record<string, string | Conditions>>;
  readonly schematics?: string;
  readonly publishConfig: Readonly<Record<string, unknown>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** A library as it is published. */
export interface PackedLibrary {
  readonly manifest: Manifest;
  readonly tarball: string;
  /** The folder of the library in the workspace. */
  readonly source: string;
  /** The tarball, unpacked. */
  readonly folder: string;
  /** The paths of all files of the package, relative to its folder. */
  readonly files: readonly string[];
}

/** Builds and packs all libraries that are published, in the order of their dependencies. */
export async function packLibraries(folder: string): Promise<readonly PackedLibrary[]> {
  await execute(process.execPath, [join(ROOT, 'test/tools/build.mjs'), ...PUBLISHED_FOLDERS]);
  return Promise.all(PUBLISHED_FOLDERS.map((name) => packLibrary(name, folder)));
}

/** Packs a built library as npm does; all but its `dist` is put into the folder. */
async function packLibrary(name: string, folder: string): Promise<PackedLibrary> {
  const source = join(ROOT, 'libs', name);
  const staging = join(folder, `${name}-staging`);
  mkdirSync(staging, { recursive: true });
  for (const file of readdirSync(source)) {
    if (/^(bin|dist|schematics|src|package\.json|README.*|LICENSE.*)$/.test(file)) {
      cpSync(join(source, file), join(staging, file), { recursive: true });
    }
  }
  const { stdout } = await execute('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: staging,
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const unpacked = join(folder, `${name}-unpacked`);
  mkdirSync(unpacked);
  await execute('tar', ['-xzf', join(folder, filename), '-C', unpacked, '--strip-components=1']);
  const files = readdirSync(unpacked, { recursive: true, encoding: 'utf8' }).filter((file) => /\.\w+$/.test(file));
  const manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as Manifest;
  return { manifest, tarball: join(folder, filename), source, folder: unpacked, files };
}

/** Finds the folder of a package as it is installed in the workspace for one of its libraries, or for the workspace itself. */
export function findInstalled(dependency: string, library = ROOT): string {
  const candidates = [join(library, 'node_modules', dependency), join(ROOT, 'node_modules', dependency)];
  const found = candidates.find((candidate) => existsSync(join(candidate, 'package.json')));
  if (!found) throw new Error(`${dependency} is not installed.`);
  return found;
}

/** All files of an entry point. */
export function targetsOf(target: string | Conditions): readonly string[] {
  return typeof target === 'string' ? [target] : Object.values(target).flatMap(targetsOf);
}

/** The entry points that can be imported, without the manifest: `./health` and others. */
export function entryPoints({ exports }: Manifest): readonly (readonly [string, Conditions])[] {
  return Object.entries(exports).flatMap(([path, target]) => (typeof target === 'string' ? [] : [[path, target]]));
}
