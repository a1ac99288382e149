import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { ModuleSource } from './module.source.js';
import { importExtension, readText, type SchematicRule, type SchematicTree } from './schematic.tree.js';

/** The options of `nest generate -c nestjs-kopf operator|webhook|daemon NAME`. */
export interface HandlerSchematicOptions {
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
  /** Whether the class is not added to the closest module. */
  readonly skipImport?: boolean;
}

/** Generates a class with handlers of changes. */
export function generateOperator(options: HandlerSchematicOptions): SchematicRule {
  return generate('operator', options);
}

/** Generates a class with a validating and a mutating handler, and has the application serve them. */
export function generateWebhook(options: HandlerSchematicOptions): SchematicRule {
  const rule = generate('webhook', options);
  return (tree, context) => {
    rule(tree, context);
    const module = options.skipImport ? undefined : findModule(tree, folderOf('webhook', options));
    if (module) serveWebhooks(tree, module);
    context.logger.info(
      'Say where API servers reach the application: the options `url` or `service` of KopfAdmissionModule.forRoot().',
    );
  };
}

/** Generates a class with a daemon. */
export function generateDaemon(options: HandlerSchematicOptions): SchematicRule {
  return generate('daemon', options);
}

function generate(kind: 'operator' | 'webhook' | 'daemon', options: HandlerSchematicOptions): SchematicRule {
  const { spec = true, specFileSuffix = 'spec', skipImport } = options;
  const name = toKebabCase(posix.basename(options.name));
  const folder = folderOf(kind, options);
  return (tree, { logger }) => {
    const className = toPascalCase(name);
    const extension = importExtension(tree);
    for (const { file, text } of readTemplates(kind)) {
      if (!spec && file.includes('specFileSuffix')) continue;
      const target = fill(file, /__(\w+)__/g, { name, specFileSuffix });
      tree.create(posix.join(folder, target), fill(text, /<%= (\w+) %>/g, { name, className, extension }));
    }
    if (skipImport) return;
    const module = findModule(tree, folder);
    if (!module) return logger.warn(`No module was found: add the class to the providers of one.`);
    const from = posix.relative(posix.dirname(module), posix.join(folder, `${name}.${kind}${extension}`));
    const declared = `${className}${toPascalCase(kind)}`;
    const source = new ModuleSource(readText(tree, module));
    tree.overwrite(
      module,
      source.addImport(declared, from.startsWith('.') ? from : `./${from}`).add('providers', declared).text,
    );
  };
}

/**
 * The folder of the generated files.
 *
 * @throws Error without a name.
 */
function folderOf(kind: string, options: HandlerSchematicOptions): string {
  const { sourceRoot = 'src', path = '', flat = false } = options;
  const given = posix.parse(options.name);
  const name = toKebabCase(given.base);
  if (!name) throw new Error(`The ${kind} needs a name.`);
  return posix.join('/', sourceRoot, path, given.dir, flat ? '' : name);
}

/** Imports the controller of reviews where `KopfModule` is imported, or else in the module of the class. */
function serveWebhooks(tree: SchematicTree, module: string): void {
  const withOperator = findModule(tree, posix.dirname(module), (text) => new ModuleSource(text).mentions('KopfModule'));
  const file = withOperator ?? module;
  const source = new ModuleSource(readText(tree, file));
  if (source.mentions('KopfAdmissionModule')) return;
  source.addImport('KopfAdmissionModule', 'nestjs-kopf').add('imports', 'KopfAdmissionModule.forRoot()', 'first');
  tree.overwrite(file, source.text);
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
function findModule(
  tree: SchematicTree,
  folder: string,
  isWanted = (_text: string): boolean => true,
): string | undefined {
  const files = tree.getDir(folder).subfiles.filter((each) => each.endsWith('.module.ts'));
  const file = files.map((each) => posix.join(folder, each)).find((each) => isWanted(readText(tree, each)));
  if (file) return file;
  return folder === '/' ? undefined : findModule(tree, posix.dirname(folder), isWanted);
}

function toKebabCase(text: string): string {
  return text
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .replace(/[^A-Za-z\d]+/g, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase();
}

function toPascalCase(text: string): string {
  return text.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
