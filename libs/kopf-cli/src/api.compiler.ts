import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type * as TypeScript from 'typescript';
import { createCommentTransformer } from 'nestjs-kopf/plugin';
import { FORCED_OPTIONS, type SourceCompiler } from './source.compiler.js';

/** The compiler by the functions of TypeScript 5 and 6. */
export class ApiCompiler implements SourceCompiler {
  private readonly compiler: typeof TypeScript;
  private readonly options: TypeScript.CompilerOptions;

  /**
   * @param library the package `typescript`; its types are not those of the published package, which does not require it.
   * @param folder that from which the nearest `tsconfig.json` is searched upwards.
   */
  constructor(library: object, folder: string) {
    this.compiler = library as typeof TypeScript;
    this.options = { ...readOptions(this.compiler, folder), ...FORCED_OPTIONS, outDir: undefined, rootDir: undefined };
  }

  resolve(specifier: string, importer: string): string | undefined {
    const { compiler, options } = this;
    const found = compiler.resolveModuleName(specifier, importer, options, compiler.sys).resolvedModule;
    const isOwn = found && !found.isExternalLibraryImport && !/\.d\.[mc]?ts$/.test(found.resolvedFileName);
    return isOwn ? found.resolvedFileName : undefined;
  }

  compile(fileName: string): string {
    const { compiler, options } = this;
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
    // The compiler emits code for invalid files, too. A syntax error of Node.js would have a position in that code, not in the source.
    if (diagnostics.length > 0) throw new SyntaxError(diagnostics.map((each) => this.describe(each)).join('; '));
    return outputText;
  }

  /** `app.ts:3:7: ';' expected.` */
  private describe({ file, start = 0, messageText }: TypeScript.Diagnostic): string {
    const text = this.compiler.flattenDiagnosticMessageText(messageText, ' ');
    if (!file) return text;
    const { line, character } = this.compiler.getLineAndCharacterOfPosition(file, start);
    return `${basename(file.fileName)}:${line + 1}:${character + 1}: ${text}`;
  }
}

function readOptions(compiler: typeof TypeScript, folder: string): TypeScript.CompilerOptions {
  const file = compiler.findConfigFile(folder, compiler.sys.fileExists);
  if (!file) return {};
  const { config } = compiler.readConfigFile(file, compiler.sys.readFile) as { config?: object };
  return compiler.parseJsonConfigFileContent({ ...config, files: [], include: [] }, compiler.sys, dirname(file))
    .options;
}
