import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type DefaultTheme } from 'vitepress';
import { SEARCH_OPTIONS } from './search.options.mjs';

const GUIDES = join(import.meta.dirname, '..');

/** The top of the home page; the rest of it is the index of the guides. */
const HOME = {
  layout: 'home',
  hero: {
    name: 'nestjs-kopf',
    text: 'Kubernetes operators in NestJS services',
    tagline:
      'Handlers are methods of your providers. The library watches, retries, and remembers on the objects themselves.',
    actions: [
      { theme: 'brand', text: 'Tutorial', link: '/tutorial' },
      { theme: 'alt', text: 'Add it to your API', link: '/add-to-your-api' },
      { theme: 'alt', text: 'When and why', link: '/why' },
    ],
  },
};

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
    config: (markdown) => {
      // Braces and angle brackets in the guides are text, not expressions and components of the site.
      markdown.set({ html: false });
      // In the repository, the guides of embedded-kube are with its sources; test/tools/docs.mjs copies them to where the site has them.
      markdown.core.ruler.push('embedded-kube', ({ tokens }) => {
        for (const { children } of tokens)
          for (const token of children ?? []) {
            const address = token.attrGet('href');
            if (token.type === 'link_open' && address) token.attrSet('href', toSite(address));
          }
      });
    },
    attrs: { disable: true },
  },
  transformPageData(page) {
    if (page.relativePath !== 'index.md') return undefined;
    return { title: 'nestjs-kopf', titleTemplate: page.description, frontmatter: { ...page.frontmatter, ...HOME } };
  },
  themeConfig: {
    search: { provider: 'local', options: SEARCH_OPTIONS },
    outline: [2, 3],
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'On call', link: '/troubleshooting' },
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
    const [, text, path] = /^- \[(.*)\]\((.*)\.md\)/.exec(line) ?? [];
    if (path)
      groups.at(-1)?.items?.push({
        text,
        link: toSite(`${path}.md`)
          .replace(/^\./, '')
          .replace(/(index)?\.md$/, ''),
      });
  }
  groups.at(-1)?.items?.push({ text: 'Reference of the code', link: '/reference/' });
  return groups;
}

/** The address on the site of what a link leads to in the repository. */
function toSite(address: string): string {
  return address
    .replace('../../embedded-kube/docs/README.md', './embedded-kube/differences.md')
    .replace(/^\.\.\/\.\.\/embedded-kube\/(docs\/)?/, './embedded-kube/')
    .replace('embedded-kube/README.md', 'embedded-kube/index.md');
}

/** The entry points of the packages. The page of each lists its symbols; a list of all of them would be a part of every page. */
function listReference(): DefaultTheme.SidebarItem[] {
  const index = join(GUIDES, 'reference/README.md');
  const entries = existsSync(index) ? readFileSync(index, 'utf8').matchAll(/^- \[(.*)\]\((.*)README\.md\)/gm) : [];
  return [...entries].map(([, text, path]) => ({ text, link: `/reference/${path}` }));
}
