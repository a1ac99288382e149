import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import type { Manifest } from './packed.library.js';

const ROOT = join(import.meta.dirname, '../..');
const COMPILER = join(ROOT, 'node_modules/typescript7/bin/tsc');

/** Its types are those of the platform that the packages are for. */
const PLATFORM = '@types/node';

/** The declarations of a library as they are published, and what its entry points export. */
export class PublishedTypes {
  private readonly checker: ts.TypeChecker;
  /** The exports of all entry points, by what they stand for. */
  private readonly exports = new Map<ts.Symbol, string>();

  /** The names that each entry point exports, by its file. */
  private readonly byFile = new Map<string, readonly string[]>();

  private constructor(
    private readonly folder: string,
    private readonly manifest: Manifest,
    program: ts.Program,
    entries: readonly string[],
  ) {
    this.checker = program.getTypeChecker();
    for (const entry of entries) {
      const module = this.checker.getSymbolAtLocation(program.getSourceFile(entry)!)!;
      const symbols = this.checker.getExportsOfModule(module);
      for (const symbol of symbols) this.exports.set(this.resolve(symbol), symbol.name);
      this.byFile.set(
        entry,
        symbols.map(({ name }) => name),
      );
    }
  }

  /** Compiles the declarations of a library as its build does, without writing them anywhere. */
  static compile(library: string): PublishedTypes {
    const source = join(ROOT, 'libs', library);
    const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest;
    // Where nothing is, so that only what was compiled now is seen; the dependencies are found from there.
    const folder = join(source, 'published');
    const files = emitDeclarations(join(source, 'tsconfig.lib.json'), folder);
    const entries = Object.values(manifest.exports).flatMap((target) =>
      typeof target === 'string' ? [] : [join(folder, target.types.replace('./dist/', ''))],
    );
    return new PublishedTypes(folder, manifest, createProgram(entries, files), entries);
  }

  /** The names of all exports. */
  get names(): readonly string[] {
    return [...this.exports.values()];
  }

  /** The names that an entry point exports: `./tooling`. */
  exportedBy(path: string): readonly string[] {
    const target = this.manifest.exports[path];
    if (typeof target === 'string') return [];
    return this.byFile.get(join(this.folder, target.types.replace('./dist/', '')))!;
  }

  /** The members of an exported class that its users can call or read, its constructor included. */
  membersOf(name: string): readonly string[] {
    const [symbol] = [...this.exports].find(([, each]) => each === name)!;
    const members = (symbol.declarations ?? []).filter(ts.isClassDeclaration).flatMap((each) => [...each.members]);
    return members.filter((member) => !isHidden(member)).map((member) => member.name?.getText() ?? 'constructor');
  }

  /**
   * Finds types that the exports name in their public members, though nobody can import them.
   *
   * What tools are made with names parts of the engine, which are not to be public one by one: it is left out.
   *
   * @param withdrawn exports that count as if there were none.
   */
  findUnnameable(withdrawn: readonly string[] = []): readonly string[] {
    const ofTools = this.exportedBy('./tooling');
    const others = [...this.exports].filter(([, name]) => !ofTools.includes(name));
    const found = others.flatMap(([symbol, name]) =>
      (symbol.declarations ?? [])
        .filter((declaration) => this.isOwn(declaration))
        .flatMap((declaration) => this.namesIn(declaration))
        .filter(({ symbol: named }) => !this.isNameable(named, withdrawn))
        .map(({ symbol: named, where }) => `${[name, ...where].join('.')} names ${named.name}`),
    );
    return [...new Set(found)].sort();
  }

  private namesIn(declaration: ts.Node): readonly { readonly symbol: ts.Symbol; readonly where: readonly string[] }[] {
    const names: { symbol: ts.Symbol; where: readonly string[] }[] = [];
    const visit = (node: ts.Node, where: readonly string[]): void => {
      if (ts.isClassElement(node) && isHidden(node)) return;
      const name = nameIn(node);
      const symbol = name && this.checker.getSymbolAtLocation(name);
      if (symbol) names.push({ symbol: this.resolve(symbol), where });
      const isMember = ts.isClassElement(node) || ts.isTypeElement(node);
      const inside = isMember ? [...where, node.name?.getText() ?? 'constructor'] : where;
      ts.forEachChild(node, (child) => visit(child, inside));
    };
    visit(declaration, []);
    return names;
  }

  private isNameable(symbol: ts.Symbol, withdrawn: readonly string[]): boolean {
    const { declarations = [], flags } = symbol;
    const exported = this.exports.get(symbol);
    if (exported !== undefined) return !withdrawn.includes(exported);
    if (flags & ts.SymbolFlags.TypeParameter) return true;
    if (flags & ts.SymbolFlags.EnumMember) return true;
    return declarations.every((declaration) => !this.isOwn(declaration) && this.isDeclared(declaration));
  }

  /** Tells whether the declaration is one of the language, of the platform, or of a package that the library requires. */
  private isDeclared(declaration: ts.Declaration): boolean {
    const { fileName } = declaration.getSourceFile();
    const path = fileName.split('/node_modules/').at(-1)!;
    const owner = path.split('/', path.startsWith('@') ? 2 : 1).join('/');
    const { dependencies, peerDependencies } = this.manifest;
    return [PLATFORM, 'typescript', ...Object.keys({ ...dependencies, ...peerDependencies })].includes(owner);
  }

  private isOwn(declaration: ts.Node): boolean {
    return declaration.getSourceFile().fileName.startsWith(`${this.folder}/`);
  }

  private resolve(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }
}

/** The name that a node refers to another declaration by, if it does. */
function nameIn(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName;
  if (ts.isExpressionWithTypeArguments(node)) return node.expression;
  if (ts.isTypeQueryNode(node)) return node.exprName;
  return ts.isImportTypeNode(node) ? node.qualifier : undefined;
}

/** Private members are in the declarations, too, but without their types. */
function isHidden(member: ts.ClassElement): boolean {
  const isPrivate = ts.canHaveModifiers(member)
    ? ts.getModifiers(member)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)
    : false;
  return isPrivate === true || (member.name !== undefined && ts.isPrivateIdentifier(member.name));
}

/** Has the build's compiler write the declarations into a folder, and gives the files as if they were in another one. */
function emitDeclarations(configuration: string, folder: string): ReadonlyMap<string, string> {
  const written = mkdtempSync(join(tmpdir(), 'declarations-'));
  try {
    execFileSync(process.execPath, [COMPILER, '-p', configuration, '--emitDeclarationOnly', '--outDir', written]);
    const paths = readdirSync(written, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.d.ts'));
    return new Map(paths.map((path) => [join(folder, path), readFileSync(join(written, path), 'utf8')]));
  } finally {
    rmSync(written, { recursive: true, force: true });
  }
}

function createProgram(entries: readonly string[], files: ReadonlyMap<string, string>): ts.Program {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
    strict: true,
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile, directoryExists } = host;
  const folders = new Set([...files.keys()].flatMap((file) => ancestorsOf(file)));
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name) ?? readFile(name);
  host.directoryExists = (name) => folders.has(name) || directoryExists!(name);
  host.getSourceFile = (name, version, ...rest) => {
    const text = files.get(name);
    return text === undefined ? getSourceFile(name, version, ...rest) : ts.createSourceFile(name, text, version, true);
  };
  return ts.createProgram({ rootNames: entries, options, host });
}

function ancestorsOf(file: string): readonly string[] {
  const parts = file.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}
