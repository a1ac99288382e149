import { posix } from 'node:path';
import { importModule } from './generated.files.js';
import { addPackages, INSTALLATION, type NeededPackage, readOwnManifest } from './project.manifest.js';
import { readText, type SchematicRule, type SchematicTree } from './schematic.tree.js';

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

/** The packages of this project beside the operator, by the options that add them, with what they are for. */
const OFFERS = [
  {
    option: 'console',
    kind: 'dependencies',
    name: 'nestjs-kopf-console',
    purpose: 'see in a browser what the operator is doing',
  },
  {
    option: 'cli',
    kind: 'devDependencies',
    name: 'nestjs-kopf-cli',
    purpose: 'run, explain, and deploy operators by the command kopf',
  },
  {
    option: 'simulation',
    kind: 'devDependencies',
    name: 'nestjs-kopf-simulation',
    purpose: 'test operators under crashes and other faults',
  },
] as const;

/**
 * Imports `KopfModule` in the root module, last; has the application take signals, so that it stops in order; and adds `embedded-kube` to
 * the project, for tests, and the packages that are asked for. The others are offered in a line. What is there already stays as it is.
 */
export function nestAdd(options: NestAddOptions): SchematicRule {
  const { sourceRoot = 'src', module = 'app.module.ts', skipInstall } = options;
  return (tree, context) => {
    const root = posix.join('/', sourceRoot, module);
    if (!tree.exists(root)) throw new Error(`There is no root module ${root}: name its file by --module.`);
    importModule(tree, root, 'KopfModule', 'nestjs-kopf', 'last');
    // `KopfModule` stays the last one.
    if (options.console) importModule(tree, root, 'KopfConsoleModule', 'nestjs-kopf-console', 'first');
    enableShutdownHooks(tree, posix.join('/', sourceRoot, 'main.ts'));
    if (addDependencies(tree, options) && !skipInstall) context.addTask(INSTALLATION);
    context.logger.info('Add a first operator: nest generate -c nestjs-kopf operator NAME');
    for (const { option, kind, name, purpose } of OFFERS) {
      if (options[option]) continue;
      context.logger.info(`To ${purpose}: npm install ${kind === 'dependencies' ? '' : '--save-dev '}${name}`);
    }
  };
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

/** Adds this package, `embedded-kube`, and what is asked for, in the version of this package; returns whether anything was added. */
function addDependencies(tree: SchematicTree, options: NestAddOptions): boolean {
  const needed: readonly Omit<NeededPackage, 'range'>[] = [
    { kind: 'dependencies', name: 'nestjs-kopf' },
    { kind: 'devDependencies', name: 'embedded-kube' },
    ...OFFERS.filter(({ option }) => options[option]),
  ];
  const range = `^${readOwnManifest().version}`;
  return addPackages(
    tree,
    needed.map(({ kind, name }) => ({ kind, name, range })),
  );
}
