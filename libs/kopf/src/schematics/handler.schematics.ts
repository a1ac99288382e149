import { posix } from 'node:path';
import {
  declareIn,
  findModule,
  folderOf,
  generateFiles,
  serveWebhooks,
  WEBHOOK_HINT,
  toKebabCase,
  toPascalCase,
  type GeneratedOptions,
} from './generated.files.js';
import { importExtension, type SchematicRule } from './schematic.tree.js';

/** The options of `nest generate -c nestjs-kopf operator|webhook|daemon NAME`. */
export type HandlerSchematicOptions = GeneratedOptions;

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
    context.logger.info(WEBHOOK_HINT);
  };
}

/** Generates a class with a daemon. */
export function generateDaemon(options: HandlerSchematicOptions): SchematicRule {
  return generate('daemon', options);
}

function generate(kind: 'operator' | 'webhook' | 'daemon', options: HandlerSchematicOptions): SchematicRule {
  const name = toKebabCase(posix.basename(options.name));
  const folder = folderOf(kind, options);
  return (tree, { logger }) => {
    const className = toPascalCase(name);
    const extension = importExtension(tree);
    generateFiles(tree, kind, folder, options, { name, className, extension });
    if (options.skipImport) return;
    const module = findModule(tree, folder);
    if (!module) return logger.warn(`No module was found: add the class to the providers of one.`);
    const file = posix.join(folder, `${name}.${kind}${extension}`);
    declareIn(tree, module, 'providers', { name: `${className}${toPascalCase(kind)}`, file });
  };
}
