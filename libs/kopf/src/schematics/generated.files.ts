import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { ModuleSource } from './module.source.js';
import { readText, type SchematicTree } from './schematic.tree.js';

/** The options that all schematics of classes have. */
export interface GeneratedOptions {
  /** The name, with folders before it if need be: `claims`, `billing/claims`. */
  readonly name: string;
  /** The folder, relative to the sources. */
  readonly path?: string;
  /**
   * The folder of the application's sources.
   *
   * @default 'src'
   */
  readonly sourceRoot?: string;
  /** Whether no separate folder is made. */
  readonly flat?: boolean;
  /**
   * Whether a test is generated.
   *
   * @default true
   */
  readonly spec?: boolean;
  /**
   * The suffix of test files.
   *
   * @default 'spec'
   */
  readonly specFileSuffix?: string;
  /** Whether what is generated is not added to the closest module. */
  readonly skipImport?: boolean;
}

/**
 * The folder of the generated files.
 *
 * @throws Error without a name.
 */
export function folderOf(kind: string, options: GeneratedOptions): string {
  const { sourceRoot = 'src', path = '', flat = false } = options;
  const given = posix.parse(options.name);
  const name = toKebabCase(given.base);
  if (!name) throw new Error(`The ${kind} needs a name.`);
  return posix.join('/', sourceRoot, path, given.dir, flat ? '' : name);
}

/** Generates the files of a schematic from its templates, with the values of their placeholders. */
export function generateFiles(
  tree: SchematicTree,
  kind: string,
  folder: string,
  { spec = true, specFileSuffix = 'spec' }: GeneratedOptions,
  values: Readonly<Record<string, string>>,
): void {
  for (const { file, text } of readTemplates(kind)) {
    if (!spec && file.includes('specFileSuffix')) continue;
    const target = fill(file, /__(\w+)__/g, { ...values, specFileSuffix });
    tree.create(posix.join(folder, target), fill(text, /<%= (\w+) %>/g, values));
  }
}

/** Adds a class to a list of a module, with its import. */
export function declareIn(
  tree: SchematicTree,
  module: string,
  list: 'imports' | 'providers',
  { name, file }: { readonly name: string; readonly file: string },
  place: 'first' | 'last' = 'last',
): void {
  const source = new ModuleSource(readText(tree, module));
  tree.overwrite(module, source.addImport(name, importPath(module, file)).add(list, name, place).text);
}

/** The path by which one file imports another one, whose ending is as the project writes it. */
export function importPath(from: string, file: string): string {
  const path = posix.relative(posix.dirname(from), file);
  return path.startsWith('.') ? path : `./${path}`;
}

/** What is left to do for webhooks. */
export const WEBHOOK_HINT =
  'Say where API servers reach the application: the options `url` or `service` of KopfAdmissionModule.forRoot().';

/** Imports the controller of reviews where `KopfModule` is imported, or else in the module of the class. */
export function serveWebhooks(tree: SchematicTree, module: string): void {
  const withOperator = findModule(tree, posix.dirname(module), (text) => new ModuleSource(text).mentions('KopfModule'));
  importModule(tree, withOperator ?? module, 'KopfAdmissionModule', 'nestjs-kopf', 'first');
}

/** Has a module import a module of this project with `forRoot()`, unless it does. */
export function importModule(
  tree: SchematicTree,
  file: string,
  name: string,
  from: string,
  place: 'first' | 'last',
): void {
  const source = new ModuleSource(readText(tree, file));
  if (source.mentions(name)) return;
  tree.overwrite(file, source.addImport(name, from).add('imports', `${name}.forRoot()`, place).text);
}

/** The templates of the package. */
function readTemplates(kind: string): readonly { readonly file: string; readonly text: string }[] {
  const folder = new URL(`../../schematics/${kind}/files/`, import.meta.url);
  return readdirSync(folder).map((file) => ({
    file: file.replace(/\.template$/, ''),
    text: readFileSync(new URL(file, folder), 'utf8'),
  }));
}

function fill(text: string, pattern: RegExp, values: Readonly<Record<string, string>>): string {
  return text.replace(pattern, (_, name: string) => values[name]);
}

/** Finds a module in a folder or the closest one above it. */
export function findModule(
  tree: SchematicTree,
  folder: string,
  isWanted = (_text: string): boolean => true,
): string | undefined {
  const files = tree.getDir(folder).subfiles.filter((each) => each.endsWith('.module.ts'));
  const file = files.map((each) => posix.join(folder, each)).find((each) => isWanted(readText(tree, each)));
  if (file) return file;
  return folder === '/' ? undefined : findModule(tree, posix.dirname(folder), isWanted);
}

export function toKebabCase(text: string): string {
  return text
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .replace(/[^A-Za-z\d]+/g, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase();
}

export function toPascalCase(text: string): string {
  return text.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
