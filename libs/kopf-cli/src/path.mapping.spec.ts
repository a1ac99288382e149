import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { PathMapping } from './path.mapping.js';

const FILES: Readonly<Record<string, string>> = {
  'src/app.ts': '',
  'src/view.tsx': '',
  'src/plain.js': '',
  'src/both.js': '',
  'src/both.ts': '',
  'src/esm.mts': '',
  'src/common.cts': '',
  'src/types.d.ts': '',
  'src/folder/index.ts': '',
  'src/name.with.dots.ts': '',
  'libs/one/index.ts': '',
  'libs/one/deep/thing.ts': '',
  'libs/special.ts': '',
  'node_modules/@org/base/tsconfig.json': '{ "extends": "./paths" }',
  'node_modules/@org/base/paths.json': '{ "compilerOptions": { "paths": { "based": ["../../../src/app.ts"] } } }',
  'node_modules/@org/base/package.json': '{ "name": "@org/base" }',
  'config/base.json':
    '// JSON with comments\n{ "compilerOptions": { "paths": { "@libs/*": ["../libs/*"], } /* all */ } }',
  'config/root.json': '{ "compilerOptions": { "baseUrl": "..", "paths": { "@src/*": ["nowhere/*", "src/*"] } } }',
  'tsconfig.json': '{ "extends": "./config/base" }',
  'tsconfig.last.json': '{ "extends": ["./config/base.json", "./config/root.json"] }',
  'tsconfig.package.json': '{ "extends": "@org/base/tsconfig.json" }',
  'tsconfig.own.json': `{ "extends": "./config/base.json", "compilerOptions": { "paths": {
    "*": ["./nowhere/*"], "@libs/*": ["./libs/*"], "@libs/one": ["./libs/one"], "@libs/*/deep": ["./libs/*/deep/thing.ts"],
    "url//not-a-comment": ["./src/app.ts"] } } }`,
};

describe('PathMapping', () => {
  const root = mkdtempSync(join(tmpdir(), 'paths-'));
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it.each([
    ['./app.js', 'src/app.ts'],
    ['./app', 'src/app.ts'],
    ['./app.ts', 'src/app.ts'],
    ['./view.js', 'src/view.tsx'],
    ['./view.jsx', 'src/view.tsx'],
    ['./plain.js', undefined],
    ['./both.js', 'src/both.ts'],
    ['./esm.mjs', 'src/esm.mts'],
    ['./common.cjs', 'src/common.cts'],
    ['./types.d.ts', undefined],
    ['./folder', 'src/folder/index.ts'],
    ['./folder/index.js', 'src/folder/index.ts'],
    ['./name.with.dots', 'src/name.with.dots.ts'],
    ['../libs/special.js', 'libs/special.ts'],
    ['./missing.js', undefined],
    ['@libs/one', undefined],
    ['nestjs-kopf', undefined],
  ])('should find %s without any paths: %s', (specifier, expected) => {
    expect(find(undefined, specifier)).toBe(expected);
  });

  it.each([
    ['tsconfig.json', '@libs/special', 'libs/special.ts'],
    ['tsconfig.json', '@libs/one/deep/thing.js', 'libs/one/deep/thing.ts'],
    ['tsconfig.json', '@libs/missing', undefined],
    ['tsconfig.json', '@nestjs/common', undefined],
    ['tsconfig.last.json', '@src/app.js', 'src/app.ts'],
    ['tsconfig.last.json', '@libs/special', undefined],
    ['tsconfig.package.json', 'based', 'src/app.ts'],
    ['tsconfig.own.json', '@libs/one', 'libs/one/index.ts'],
    ['tsconfig.own.json', '@libs/one/deep', 'libs/one/deep/thing.ts'],
    ['tsconfig.own.json', '@libs/special.js', 'libs/special.ts'],
    ['tsconfig.own.json', 'url//not-a-comment', 'src/app.ts'],
    ['tsconfig.own.json', 'anything', undefined],
  ])('should find, with %s, %s: %s', (config, specifier, expected) => {
    expect(find(join(root, config), specifier)).toBe(expected);
  });

  function find(config: string | undefined, specifier: string): string | undefined {
    const found = PathMapping.read(config).resolve(specifier, join(root, 'src/importer.ts'));
    return found === undefined ? undefined : relative(root, found);
  }
});
