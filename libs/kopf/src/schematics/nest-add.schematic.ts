import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { ModuleSource } from './module.source.js';
import { INSTALLATION, withPackage, writeManifest } from './project.manifest.js';
import { type ProjectManifest, readText, type SchematicRule, type SchematicTree } from './schematic.tree.js';

/** The options of `nest add nestjs-kopf`. */
export interface NestAddOptions {
  /**
   * The folder of the application's sources.
   *
   * @default 'src'
   */
  readonly sourceRoot?: string;
  /**
   * The root module's file, relative to the sources.
   *
   * @default 'app.module.ts'
   */
  readonly module?: string;
  /** Whether what was added to the package.json is not installed. */
  readonly skipInstall?: boolean;
  /** Whether the console is added, with its module. */
  readonly console?: boolean;
  /** Whether the commands `kopf` and `kubectl kopf` are added. */
  readonly cli?: boolean;
  /** Whether the simulation is added, for tests. */
  readonly simulation?: boolean;
}

/** The packages of this project beside the operator, with what they are for. */
const OFFERS = {
  console: ['nestjs-kopf-console', 'see in a browser what the operator is doing'],
  cli: ['nestjs-kopf-cli', 'run, explain, and deploy operators by the command kopf'],
  simulation: ['nestjs-kopf-simulation', 'test operators under crashes and other faults'],
} as const;
const OFFERED = ['console', 'cli', 'simulation'] as const;

/**
 * Imports `KopfModule` in the root module, last; has the application take signals, so that it stops in order; and adds `embedded-kube` to
 * the project, for tests, and the packages that are asked for. The others are offered in a line. What is there already stays as it is.
 */
export function nestAdd(options: NestAddOptions): SchematicRule {
  const { sourceRoot = 'src', module = 'app.module.ts', skipInstall } = options;
  return (tree, context) => {
    const root = posix.join('/', sourceRoot, module);
    if (!tree.exists(root)) throw new Error(`There is no root module ${root}: name its file by --module.`);
    const source = new ModuleSource(readText(tree, root));
    if (!source.mentions('KopfModule')) {
      tree.overwrite(root, source.addImport('KopfModule', 'nestjs-kopf').add('imports', 'KopfModule.forRoot()').text);
    }
    if (options.console) importConsole(tree, root);
    enableShutdownHooks(tree, posix.join('/', sourceRoot, 'main.ts'));
    if (addDependencies(tree, options) && !skipInstall) context.addTask(INSTALLATION);
    context.logger.info('Add a first operator: nest generate -c nestjs-kopf operator NAME');
    for (const offer of OFFERED.filter((each) => !options[each])) {
      const [name, purpose] = OFFERS[offer];
      context.logger.info(`To ${purpose}: npm install ${offer === 'console' ? '' : '--save-dev '}${name}`);
    }
  };
}

/** Imports the module of the console, first: `KopfModule` stays the last one. */
function importConsole(tree: SchematicTree, path: string): void {
  const source = new ModuleSource(readText(tree, path));
  if (source.mentions('KopfConsoleModule')) return;
  const name = 'KopfConsoleModule';
  tree.overwrite(path, source.addImport(name, OFFERS.console[0]).add('imports', `${name}.forRoot()`, 'first').text);
}

function enableShutdownHooks(tree: SchematicTree, path: string): void {
  if (!tree.exists(path)) return;
  const text = readText(tree, path);
  if (text.includes('enableShutdownHooks')) return;
  const creation = /^([^\S\n]*)const (\w+) = await NestFactory\.create\w*[^;]*;\n/m;
  tree.overwrite(
    path,
    text.replace(
      creation,
      (line, indentation: string, app: string) => `${line}${indentation}${app}.enableShutdownHooks();\n`,
    ),
  );
}

/** Adds this package, `embedded-kube`, and what is asked for, in the version of this package, unless they are there; returns whether anything was added. */
function addDependencies(tree: SchematicTree, options: NestAddOptions): boolean {
  const manifest = JSON.parse(readText(tree, '/package.json')) as ProjectManifest;
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const has = (name: string): boolean => name in { ...manifest.dependencies, ...manifest.devDependencies };
  if (!has('nestjs-kopf')) manifest.dependencies = withPackage(manifest.dependencies, 'nestjs-kopf', `^${version}`);
  if (!has('embedded-kube'))
    manifest.devDependencies = withPackage(manifest.devDependencies, 'embedded-kube', `^${version}`);
  for (const offer of OFFERED.filter((each) => options[each])) {
    const [name] = OFFERS[offer];
    if (has(name)) continue;
    const kind = offer === 'console' ? 'dependencies' : 'devDependencies';
    manifest[kind] = withPackage(manifest[kind], name, `^${version}`);
  }
  return writeManifest(tree, manifest);
}
