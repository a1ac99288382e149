import { listPages } from './support/pages.js';
import { GuideSearch, QUESTIONS } from './support/guide.search.js';

/** The index that VitePress makes is asked the same in site.cluster-spec.ts. */
describe('The search of the guides', () => {
  const search = GuideSearch.ofSources();

  it.each(QUESTIONS)('should find for "%s" the guide %s first', (question, guide) => {
    expect(search.find(question)[0]).toBe(guide);
  });

  it('should be asked for guides that exist', () => {
    const names = listPages().map(({ name }) => name);
    const missing = QUESTIONS.filter(([, guide]) => !guide.startsWith('embedded-kube/') && !names.includes(guide));
    expect(missing).toEqual([]);
  });
});
