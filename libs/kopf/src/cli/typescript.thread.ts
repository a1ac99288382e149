import { readFileSync } from 'node:fs';
import { createRequire, type InitializeHook, type LoadHook, type ResolveHook } from 'node:module';
import { basename, dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type * as TypeScript from 'typescript';
import { createCommentTransformer } from '../plugin/comment.transformer.js';

// Runs in the thread of Node.js's module hooks. Node.js itself only strips types: it knows no decorators, and leaves no types of parameters
// for Nest. So each file goes through the compiler of the project, without being checked.

/** The data that {@link initialize} gets. */
export interface TypeScriptHookData {
  /** The path of the project's compiler. */
  readonly compiler: string;
  /** The folder from which the nearest `tsconfig.json` is searched upwards. */
  readonly folder: string;
}

const SOURCE = /\.[mc]?tsx?$/;

let compiler: typeof TypeScript;
let options: TypeScript.CompilerOptions;

export const initialize: InitializeHook<TypeScriptHookData> = (data) => {
  compiler = createRequire(data.compiler)(data.compiler) as typeof TypeScript;
  options = { ...readOptions(data.folder), ...FORCED };
};

const FORCED: TypeScript.CompilerOptions = {
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  isolatedModules: true,
  sourceMap: false,
  inlineSourceMap: true,
  inlineSources: true,
  declaration: false,
  declarationMap: false,
  composite: false,
  incremental: false,
  noEmit: false,
  outDir: undefined,
  rootDir: undefined,
};

/** Finds `./service.js`, `./service`, and the paths of `tsconfig.json` as the compiler does. */
export const resolve: ResolveHook = async (specifier, context, next) => {
  const { parentURL } = context;
  if (parentURL?.startsWith('file:') && SOURCE.test(parentURL) && !specifier.startsWith('node:')) {
    const found = compiler.resolveModuleName(specifier, fileURLToPath(parentURL), options, compiler.sys).resolvedModule;
    const isOwn = found && !found.isExternalLibraryImport && !/\.d\.[mc]?ts$/.test(found.resolvedFileName);
    if (isOwn) return { url: pathToFileURL(found.resolvedFileName).href, shortCircuit: true };
  }
  return next(specifier, context);
};

/** Compiles the file to a module of ECMAScript, whatever the project makes of it otherwise. */
export const load: LoadHook = async (url, context, next) => {
  if (!url.startsWith('file:') || !SOURCE.test(url)) return next(url, context);
  const fileName = fileURLToPath(url);
  const { outputText, diagnostics = [] } = compiler.transpileModule(readFileSync(fileName, 'utf8'), {
    fileName,
    reportDiagnostics: true,
    transformers: { before: [createCommentTransformer(compiler)] },
    compilerOptions: {
      ...options,
      module: compiler.ModuleKind.ESNext,
      moduleResolution: compiler.ModuleResolutionKind.Bundler,
      target: compiler.ScriptTarget.ES2022,
    },
  });
  // The compiler makes something of every file; Node.js would point into that, and not into the source.
  if (diagnostics.length > 0) throw new SyntaxError(diagnostics.map(describe).join('; '));
  return { format: 'module', source: outputText, shortCircuit: true };
};

/** `app.ts:3:7: ';' expected.` */
function describe({ file, start = 0, messageText }: TypeScript.Diagnostic): string {
  const text = compiler.flattenDiagnosticMessageText(messageText, ' ');
  if (!file) return text;
  const { line, character } = compiler.getLineAndCharacterOfPosition(file, start);
  return `${basename(file.fileName)}:${line + 1}:${character + 1}: ${text}`;
}

function readOptions(folder: string): TypeScript.CompilerOptions {
  const file = compiler.findConfigFile(folder, compiler.sys.fileExists);
  if (!file) return {};
  const { config } = compiler.readConfigFile(file, compiler.sys.readFile) as { config?: object };
  return compiler.parseJsonConfigFileContent({ ...config, files: [], include: [] }, compiler.sys, dirname(file))
    .options;
}
