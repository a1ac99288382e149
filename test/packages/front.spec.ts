import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { entryPoints, type Manifest } from './packed.library.js';

const ROOT = join(import.meta.dirname, '../..');
const KOPF = join(ROOT, 'libs/kopf');

const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  customConditions: ['nestjs-kopf-source'],
  // Names are all that is asked for.
  noLib: true,
  types: [],
};

/** The packages whose decorators and functions stand in the same files as those of an operator. */
const NEIGHBOURS = ['@nestjs/swagger', 'class-validator', 'rxjs', 'typeorm'];

/** What @nestjs/graphql exports, which is not installed here. */
const GRAPHQL: { readonly package: string; readonly exports: readonly string[] } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures/nestjs-graphql.exports.json'), 'utf8'),
);

/** The decorators of handlers that have Kopf's names, with the packages that have them, too. */
const EXCEPTIONS = { Index: ['typeorm'], Validate: ['class-validator'] };

/** The names of values and types that files export. */
function exportsOf(files: readonly string[]): readonly (readonly string[])[] {
  const program = ts.createProgram(files, OPTIONS);
  const checker = program.getTypeChecker();
  return files.map((file) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file)!)!;
    return checker.getExportsOfModule(module).map(({ name }) => name);
  });
}

/** The declarations of an installed package. */
function declarationsOf(name: string): string {
  const from = join(import.meta.dirname, 'front.spec.ts');
  return ts.resolveModuleName(name, from, OPTIONS, ts.sys).resolvedModule!.resolvedFileName;
}

describe('the front of nestjs-kopf', () => {
  const manifest = JSON.parse(readFileSync(join(KOPF, 'package.json'), 'utf8')) as Manifest;
  const sources = entryPoints(manifest).map(([path, conditions]) => [
    path,
    join(KOPF, conditions['nestjs-kopf-source'] as string),
  ]);
  let ofKopf: ReadonlyMap<string, readonly string[]>;
  let ofNeighbours: ReadonlyMap<string, readonly string[]>;

  beforeAll(() => {
    const files = [...sources.map(([, file]) => file), ...NEIGHBOURS.map(declarationsOf)];
    const names = exportsOf(files);
    ofKopf = new Map(sources.map(([path], index) => [path, names[index]]));
    const installed = NEIGHBOURS.map((name, index) => [name, names[sources.length + index]] as const);
    ofNeighbours = new Map([...installed, [GRAPHQL.package, GRAPHQL.exports]]);
  }, 240_000);

  /** The names that neighbours export, too, with those neighbours. */
  function findShared(names: readonly string[]): Readonly<Record<string, readonly string[]>> {
    const shared = names.map((name) => {
      const owners = [...ofNeighbours].filter(([, others]) => others.includes(name)).map(([owner]) => owner);
      return [name, owners] as const;
    });
    return Object.fromEntries(shared.filter(([, owners]) => owners.length > 0));
  }

  it('should have no name that users have from other packages, but for decorators with the names of Kopf', () => {
    expect(findShared(ofKopf.get('.')!)).toEqual(EXCEPTIONS);
  });

  it('should notice the names of each of the packages', () => {
    expect(findShared(['Field', 'ApiProperty', 'IsString', 'asap', 'Column', 'KopfModule'])).toEqual({
      Field: ['@nestjs/graphql'],
      ApiProperty: ['@nestjs/swagger'],
      IsString: ['class-validator'],
      asap: ['rxjs'],
      Column: ['typeorm'],
    });
  });

  it('should export each name from one entry point', () => {
    const all = [...ofKopf.values()].flat();
    const repeated = all.filter((name, index) => all.indexOf(name) !== index);
    expect(repeated).toEqual([]);
  });
});
