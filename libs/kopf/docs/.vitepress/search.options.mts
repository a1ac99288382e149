import type { DefaultTheme } from 'vitepress';

/**
 * The search of the guides. The reference is not in it: it has each word of the guides many times, and the guides name each symbol.
 *
 * VitePress sends the functions to the browser as text, so they use nothing from outside.
 */
export const SEARCH_OPTIONS = {
  miniSearch: {
    options: {
      /** Leaves out what is in every guide, and makes one word of its forms: `retry`, `retries`, `retried`. */
      processTerm: (text) => {
        const term = text.toLowerCase();
        const common =
          'a an and are as at be by can do does for from how i if in is it its my of on or that the this to with';
        if (common.split(' ').includes(term) || term.startsWith('wh')) return null;
        if (term.length < 4) return term;
        const stem = term.replace(/(ies|ied|y)$/, 'i').replace(/(ing|ed|es|s|e)$/, '');
        return stem.replace(/([^aeiouls])\1$/, '$1');
      },
    },
    searchOptions: {
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      boost: { title: 4, titles: 2, text: 1 },
      /** Lets the beginnings of guides come first, and what only some readers look for last. */
      boostDocument: (id, _term, section) => {
        const titles = (section?.titles ?? []) as readonly string[];
        const beginning = titles.length === 0 ? 2 : 1;
        return beginning * (/^\/?(wishes|moving-from-kopf|embedded-kube)\b/.test(String(id)) ? 0.4 : 1);
      },
    },
  },
  _render: (source, environment, markdown) => {
    if (/^(reference\/|README\.md)/.test(environment.relativePath)) return '';
    return markdown.render(source.split('\n## Imports\n')[0], environment);
  },
} satisfies DefaultTheme.LocalSearchOptions;
