import { createRequire, type InitializeHook, type LoadHook, type ResolveHook } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ApiCompiler } from './api.compiler.js';
import { CommandCompiler } from './command.compiler.js';
import type { SourceCompiler } from './source.compiler.js';

// Runs in the thread of Node.js's module hooks. Node.js itself only strips types: it knows no decorators, and leaves no types of parameters
// for Nest. So each file goes through the compiler of the project, without being checked.

/** The data that {@link initialize} gets. */
export interface TypeScriptHookData {
  /** The folder from which the compiler, and the nearest `tsconfig.json`, are searched upwards. */
  readonly folder: string;
}

const SOURCE = /\.[mc]?tsx?$/;

let compiler: SourceCompiler;

export const initialize: InitializeHook<TypeScriptHookData> = (data) => {
  const require = createRequire(join(data.folder, 'kopf.js'));
  const library = require('typescript') as object;
  compiler = isProgrammable(library)
    ? new ApiCompiler(library, data.folder)
    : new CommandCompiler(dirname(require.resolve('typescript/package.json')), data.folder);
};

/** Whether the compiler is one with functions for programs, which TypeScript has no more since version 7. */
function isProgrammable(library: object): boolean {
  return 'transpileModule' in library;
}

/** The hook that finds `./service.js`, `./service`, and the paths of `tsconfig.json` as the compiler does. */
export const resolve: ResolveHook = async (specifier, context, next) => {
  const { parentURL } = context;
  if (parentURL?.startsWith('file:') && SOURCE.test(parentURL) && !specifier.startsWith('node:')) {
    const found = compiler.resolve(specifier, fileURLToPath(parentURL));
    if (found !== undefined) return { url: pathToFileURL(found).href, shortCircuit: true };
  }
  return next(specifier, context);
};

/** The hook that compiles the file to a module of ECMAScript, whatever module format the project has. */
export const load: LoadHook = async (url, context, next) => {
  if (!url.startsWith('file:') || !SOURCE.test(url)) return next(url, context);
  return { format: 'module', source: await compiler.compile(fileURLToPath(url)), shortCircuit: true };
};
