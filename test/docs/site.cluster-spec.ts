import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listPages } from './support/pages.js';

const ROOT = join(import.meta.dirname, '../..');
const SITE = join(ROOT, 'dist/docs');

/** Building takes half a minute, so that this is no part of `npm test`. */
describe('The site of the guides', () => {
  let built: { readonly status: number | null; readonly output: string };

  beforeAll(() => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['test/tools/docs.mjs'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    built = { status, output: stdout + stderr };
  });

  it('should be built without warnings about the documentation of the code, and without dead links', () => {
    expect(built, built.output).toMatchObject({ status: 0 });
    expect(built.output).not.toMatch(/\[warning\]|dead link/);
  });

  it.each(listPages().filter(({ name }) => name !== 'package'))(
    'should have a page for the guide $name',
    ({ name }) => {
      const html = readFileSync(join(SITE, `${name}.html`), 'utf8');
      expect(html).toContain('<h1');
    },
  );

  it('should have a reference of every entry point', () => {
    const { name, exports } = JSON.parse(readFileSync(join(ROOT, 'libs/kopf/package.json'), 'utf8')) as {
      name: string;
      exports: Record<string, { 'nestjs-kopf-source'?: string }>;
    };
    const entries = Object.entries(exports).filter(
      ([entry, target]) => target['nestjs-kopf-source'] && entry !== './tooling',
    );
    expect(entries.length).toBeGreaterThan(2);
    for (const [entry] of entries) {
      expect(existsSync(join(SITE, 'reference', name, entry, 'index.html')), entry).toBe(true);
    }
    for (const tool of ['console', 'cli', 'simulation']) {
      expect(existsSync(join(SITE, 'reference', `${name}-${tool}`, 'index.html')), tool).toBe(true);
    }
  });

  it('should have a search index', () => {
    const assets = readdirSync(join(SITE, 'assets/chunks')).filter((file) => file.startsWith('@localSearchIndex'));
    expect(assets).toHaveLength(1);
    const index = readFileSync(join(SITE, 'assets/chunks', assets[0]), 'utf8');
    for (const term of ['leader', 'reconcile', 'finalizer']) expect(index).toContain(term);
  });
});
