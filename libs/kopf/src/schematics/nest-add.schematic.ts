import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { ModuleSource } from './module.source.js';
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
}

/**
 * Imports `KopfModule` in the root module, last; has the application take signals, so that it stops in order; and adds `embedded-kube` to
 * the project, for tests. What is there already stays as it is.
 */
export function nestAdd({ sourceRoot = 'src', module = 'app.module.ts', skipInstall }: NestAddOptions): SchematicRule {
  return (tree, context) => {
    const root = posix.join('/', sourceRoot, module);
    if (!tree.exists(root)) throw new Error(`There is no root module ${root}: name its file by --module.`);
    const source = new ModuleSource(readText(tree, root));
    if (!source.mentions('KopfModule')) {
      tree.overwrite(root, source.addImport('KopfModule', 'nestjs-kopf').add('imports', 'KopfModule.forRoot()').text);
    }
    enableShutdownHooks(tree, posix.join('/', sourceRoot, 'main.ts'));
    if (addDependencies(tree) && !skipInstall) context.addTask(INSTALLATION);
    context.logger.info('Add a first operator: nest generate -c nestjs-kopf operator NAME');
  };
}

/** The task `NodePackageInstallTask` of Angular's devkit. */
const INSTALLATION = {
  toConfiguration: () => ({ name: 'node-package', options: { command: 'install', quiet: true, hideOutput: true } }),
};

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

/** Adds this package and `embedded-kube`, in the version of this package, unless they are there; returns whether anything was added. */
function addDependencies(tree: SchematicTree): boolean {
  const text = readText(tree, '/package.json');
  const manifest = JSON.parse(text) as ProjectManifest;
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const has = (name: string): boolean => name in { ...manifest.dependencies, ...manifest.devDependencies };
  if (!has('nestjs-kopf')) manifest.dependencies = withPackage(manifest.dependencies, 'nestjs-kopf', version);
  if (!has('embedded-kube')) manifest.devDependencies = withPackage(manifest.devDependencies, 'embedded-kube', version);
  const indentation = /^\{\r?\n([^\S\n]+)/.exec(text)?.[1] ?? '  ';
  const changed = `${JSON.stringify(manifest, null, indentation)}\n`;
  const isChanged = JSON.stringify(JSON.parse(text)) !== JSON.stringify(manifest);
  if (isChanged) tree.overwrite('/package.json', changed);
  return isChanged;
}

function withPackage(packages: Record<string, string> = {}, name: string, version: string): Record<string, string> {
  const entries = Object.entries({ ...packages, [name]: `^${version}` });
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}
