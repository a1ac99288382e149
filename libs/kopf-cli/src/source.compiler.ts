import type * as TypeScript from 'typescript';

/** The compiler of files in TypeScript, one by one, without checking them. */
export interface SourceCompiler {
  /** The path of the file in TypeScript that an import of another one means; `undefined` if Node.js is to find it. */
  resolve(specifier: string, importer: string): string | undefined;
  /**
   * Makes a module of ECMAScript of a file, whatever module format the project has, with its documentation for CRDs and a source map.
   *
   * @throws SyntaxError with the file and the position.
   */
  compile(fileName: string): string | Promise<string>;
}

/**
 * The options of the compiler that the command sets, whatever `tsconfig.json` says: Nest needs decorators and the types of parameters, and
 * nothing but the compiled text is wanted. The values are those of `tsconfig.json`.
 */
export const FORCED_OPTIONS = {
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
} satisfies TypeScript.CompilerOptions;
