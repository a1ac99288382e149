import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type DefaultTheme } from 'vitepress';

const GUIDES = join(import.meta.dirname, '..');

/** The site of the guides: `npm run docs` builds it into `dist/docs`, `npm run docs:dev` shows it while one writes. */
export default defineConfig({
  title: 'nestjs-kopf',
  description: 'Kubernetes operators in NestJS services',
  outDir: '../../../dist/docs',
  cacheDir: '../../../node_modules/.cache/vitepress',
  cleanUrls: true,
  // On GitHub, a folder shows its README.
  rewrites: (page) => page.replace(/README\.md$/, 'index.md'),
  // The guides name addresses of the reader's own machine.
  ignoreDeadLinks: [/^https?:\/\/localhost/],
  markdown: {
    // Braces and angle brackets in the guides are text, not expressions and components of the site.
    config: (markdown) => void markdown.set({ html: false }),
    attrs: { disable: true },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Guides', link: '/' },
      { text: 'Reference', link: '/reference/' },
    ],
    sidebar: { '/': readIndex(), '/reference/': [{ text: 'Entry points', items: listReference() }] },
  },
});

/** The index of the guides is the one list of pages: its headings are the groups of the sidebar. */
function readIndex(): DefaultTheme.SidebarItem[] {
  const groups: DefaultTheme.SidebarItem[] = [];
  for (const line of readFileSync(join(GUIDES, 'README.md'), 'utf8').split('\n')) {
    const heading = /^## (.*)$/.exec(line)?.[1];
    if (heading) groups.push({ text: heading, items: [], collapsed: false });
    const [, text, file] = /^- \[(.*)\]\(\.\/(.*)\.md\)/.exec(line) ?? [];
    if (file) groups.at(-1)?.items?.push({ text, link: `/${file}` });
  }
  return groups;
}

/** The entry points of the package. The page of each lists its symbols; a list of all of them would be a part of every page. */
function listReference(): DefaultTheme.SidebarItem[] {
  const index = join(GUIDES, 'reference/README.md');
  const entries = existsSync(index) ? readFileSync(index, 'utf8').matchAll(/^- \[(.*)\]\((.*)README\.md\)/gm) : [];
  return [...entries].map(([, text, path]) => ({ text, link: `/reference/${path}` }));
}
