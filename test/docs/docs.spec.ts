import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as kopf from 'nestjs-kopf';
import * as crd from 'nestjs-kopf/crd';
import * as decorators from 'nestjs-kopf/decorators';
import * as diagnostics from 'nestjs-kopf/diagnostics';
import * as parameters from 'nestjs-kopf/parameters';
import * as storages from 'nestjs-kopf/storages';
import * as webhooks from 'nestjs-kopf/webhooks';
import { compile } from './support/compiler.js';
import { findBrokenLinks } from './support/links.js';
import { EXAMPLES, exampleOf, listBlocks, listFiles, listPages, listRegions, readFile } from './support/pages.js';

/** Ends a compilation that hangs, in milliseconds; one takes some seconds of a core, and many more where others need it, too. */
const COMPILATION_TIMEOUT = 600_000;

/** The public values, but for those of entry points that have a guide of the same name. */
const exported = {
  ...kopf,
  ...kopf.lifecycles,
  ...crd,
  ...decorators,
  ...diagnostics,
  ...parameters,
  ...storages,
  ...webhooks,
};

const pages = listPages();
const withCode = pages.filter((page) => listBlocks(page).length > 0);
const withFiles = pages.filter((page) => listFiles(page).length > 0);

describe('The documentation', () => {
  it.each(withCode.map((page) => [page.name, page] as const))('should show the code that is run: %s', (_, page) => {
    const regions = new Map(listRegions(page).map(({ name, code }) => [name, code]));
    for (const { name, code } of listBlocks(page)) expect(code, `the block '${name}'`).toBe(regions.get(name));
    expect(importsFirst(listBlocks(page).map(({ name }) => name))).toEqual(importsFirst([...regions.keys()]));
  });

  // The files themselves are compiled and tested with their applications.
  it.each(withFiles.map((page) => [page.name, page] as const))('should show files as they are: %s', (_, page) => {
    for (const { name, code } of listFiles(page)) expect(code, name).toBe(readFile(name));
  });

  it.each(withCode.map((page) => [page.name, page] as const))('should have its code run by a test: %s', (_, page) => {
    expect(existsSync(exampleOf(page).replace('.example.ts', '.spec.ts'))).toBe(true);
  });

  it('should have code that compiles as it stands on each page', { timeout: COMPILATION_TIMEOUT }, async () => {
    const files = withCode.map((page) => {
      const text = listBlocks(page).map(({ code }) => code);
      return [join(EXAMPLES, `${page.name}.page.ts`), text.join('\n')] as const;
    });
    // Shows that errors are noticed.
    const wrong = "import { OnCreate } from 'nestjs-kopf';\nexport const wrong: string = OnCreate;\nnothing();\n";
    expect(await compile(new Map([...files, [join(EXAMPLES, 'wrong.page.ts'), wrong]]))).toEqual([
      expect.stringMatching(/wrong\.page\.ts:2: Type .* is not assignable to type 'string'/),
      expect.stringMatching(/wrong\.page\.ts:3: Cannot find name 'nothing'/),
    ]);
  });

  it.each(pages.map((page) => [page.name, page] as const))('should have links that lead somewhere: %s', (_, page) => {
    expect(findBrokenLinks(page)).toEqual([]);
  });

  it('should notice links that lead nowhere', () => {
    const [page] = pages;
    const text = '# Here\n[a](./nothing.md) [b](#here) [c](#there) [d](https://example.com/) `[e](f.md)`\n';
    expect(findBrokenLinks({ ...page, text })).toEqual(['./nothing.md', '#there']);
  });

  it('should have an index with all pages', () => {
    const index = pages.find(({ name }) => name === 'index')!;
    for (const { path, name } of pages.filter((page) => !['index', 'package'].includes(page.name))) {
      expect(index.text, name).toContain(`](./${basename(path)})`);
    }
  });

  it('should not call missing what is there', () => {
    const page = pages.find(({ name }) => name === 'moving-from-kopf')!;
    const [, missing] = page.text.split('## What has no counterpart yet');
    const names = [...missing.matchAll(/no `@(\w+)`/g)].map(([, name]) => name);
    for (const name of names) expect(exported).not.toHaveProperty(name);
  });

  it('should name every setting', () => {
    const settings = Object.entries(new kopf.KopfSettings()).flatMap(([group, members]) =>
      Object.keys(members as object).map((member) => `${group}.${member}`),
    );
    const unnamed = settings.filter((setting) => !pages.some(({ text }) => text.includes(`\`${setting}`)));
    expect(unnamed).toEqual([]);
  });

  it('should name everything that the package exports', () => {
    const isNamed = (name: string) => pages.some(({ text }) => new RegExp(`\\b${name}\\b`).test(text));
    const unnamed = Object.keys(exported).filter((name) => !isNamed(name));
    expect(unnamed).toEqual([]);
  });
});

/** Pages begin with what the reader wants to do, and have their imports at the end; files begin with them. */
function importsFirst(names: readonly string[]): readonly string[] {
  return [...names].sort((one, other) => Number(other === 'imports') - Number(one === 'imports'));
}
