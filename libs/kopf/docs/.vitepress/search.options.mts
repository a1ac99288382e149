import type { DefaultTheme } from 'vitepress';

/** The options with which the index of the search is read. VitePress sends them to the browser as text, so they use nothing from outside. */
export const SEARCH: NonNullable<NonNullable<DefaultTheme.LocalSearchOptions['miniSearch']>['searchOptions']> = {
  boost: { title: 4, titles: 2, text: 1 },
  // As in questions: words that are in every guide find all of them.
  processTerm: (term) =>
    /^(a|an|and|are|at|by|can|do|does|for|from|how|i|in|is|it|my|not|of|on|or|the|to|what|when|why|with)$/i.test(term)
      ? null
      : term.toLowerCase(),
};

/** The search of the guides. The reference is not in it: it has each word of the guides many times, and the guides name each symbol. */
export const SEARCH_OPTIONS: DefaultTheme.LocalSearchOptions = {
  miniSearch: { searchOptions: SEARCH },
  _render: (source, environment, markdown) =>
    environment.relativePath.startsWith('reference/') ? '' : markdown.render(source, environment),
};
