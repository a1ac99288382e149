import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { GuideSearch, QUESTIONS } from './support/guide.search.js';
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
    for (const tool of [`${name}-console`, `${name}-cli`, `${name}-simulation`, 'embedded-kube']) {
      expect(existsSync(join(SITE, 'reference', tool, 'index.html')), tool).toBe(true);
    }
  });

  it('should have the guides of embedded-kube', () => {
    for (const guide of ['index', 'differences', 'testing', 'command', 'time', 'moving', 'speed']) {
      expect(readFileSync(join(SITE, 'embedded-kube', `${guide}.html`), 'utf8')).toContain('<h1');
    }
  });

  describe('has a search, which', () => {
    let search: GuideSearch;
    let index: string;

    beforeAll(async () => {
      const folder = join(SITE, 'assets/chunks');
      const files = readdirSync(folder).filter((file) => file.startsWith('@localSearchIndex'));
      expect(files).toHaveLength(1);
      ({ default: index } = (await import(pathToFileURL(join(folder, files[0])).href)) as { default: string });
      search = GuideSearch.ofSite(index);
    });

    it.each(QUESTIONS)('should find for "%s" the guide %s first', (question, guide) => {
      expect(search.find(question)[0]).toBe(guide);
    });

    it('should not find pages of the reference', () => {
      expect(index).toContain('/errors#');
      expect(index).not.toContain('/reference/');
    });
  });
});
