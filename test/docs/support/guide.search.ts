import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import MiniSearch, { type SearchOptions } from 'minisearch';
import { SEARCH_OPTIONS } from '../../../libs/kopf/docs/.vitepress/search.options.mjs';
import { listPages } from './pages.js';

const EMBEDDED_KUBE = join(import.meta.dirname, '../../../libs/embedded-kube');

/** What readers ask the search of the guides, and the guide that must be found first. */
export const QUESTIONS: readonly (readonly [question: string, guide: string])[] = [
  ['retry', 'errors'],
  ['stuck', 'troubleshooting'],
  ['deploy to a cluster', 'deployment'],
  ['permissions', 'deployment'],
  ['rbac', 'deployment'],
  ['object is not deleted', 'troubleshooting'],
  ['leader election', 'replicas'],
  ['cron', 'timers'],
  ['restrict to a namespace', 'resources'],
  ['test without a cluster', 'testing'],
  ['validate objects', 'admission'],
  ['webhook', 'admission'],
  ['crash', 'simulation'],
  ['conditions in the status', 'conditions'],
  ['owner reference', 'children'],
  ['secret has changed', 'references'],
  ['log level', 'logging'],
  ['prometheus', 'metrics'],
  ['shutdown', 'lifecycle'],
  ['add to an existing api', 'add-to-your-api'],
  ['crd from a class', 'custom-resources'],
  ['kubeconfig', 'authentication'],
  ['memory grows', 'troubleshooting'],
  ['alert', 'runbooks'],
  ['several clusters', 'embedding'],
  ['called twice', 'errors'],
  ['cluster is not there', 'lifecycle'],
  ['envtest', 'embedded-kube/moving'],
  ['python', 'moving-from-kopf'],
  ['readiness probe', 'health'],
  ['docker image', 'deployment'],
  ['queue or cron job', 'why'],
  ['change the schema of a crd', 'crd-evolution'],
  ['kopf dev', 'command-line'],
];

/** The fields of a section that are searched, as those of VitePress. */
const FIELDS = { fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles'] };
/** What VitePress sets itself. */
const DEFAULTS: SearchOptions = { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } };

interface Section {
  readonly id: string;
  readonly title: string;
  /** The headings above. */
  readonly titles: readonly string[];
  text: string;
}

/** Finds sections of guides, best first, with the options of the site. */
export class GuideSearch {
  private constructor(private readonly index: MiniSearch) {}

  /** Searches the index of a site that is built. */
  static ofSite(index: string): GuideSearch {
    return new GuideSearch(MiniSearch.loadJSON(index, options()));
  }

  /** Searches the sources of the guides, as far as the site has them in its index. */
  static ofSources(): GuideSearch {
    const search = new MiniSearch<Section>({
      ...options(),
      extractField: (section, field) => {
        const value = section[field as keyof Section];
        return typeof value === 'string' ? value : value.join(' ');
      },
    });
    for (const [name, text] of listGuides()) search.addAll(splitIntoSections(name, text));
    return new GuideSearch(search);
  }

  /** The names of the guides that the sections belong to, best first. */
  find(question: string): readonly string[] {
    return this.index.search(question).map(({ id }) =>
      String(id)
        .replace(/^\//, '')
        .replace(/[#].*$/, ''),
    );
  }
}

function options() {
  const { options: own, searchOptions } = SEARCH_OPTIONS.miniSearch;
  return { ...FIELDS, searchOptions: { ...DEFAULTS, ...searchOptions }, ...own };
}

function listGuides(): readonly (readonly [name: string, text: string])[] {
  const own = listPages().filter(({ name }) => name !== 'index' && name !== 'package');
  const embedded = readdirSync(join(EMBEDDED_KUBE, 'docs')).map(
    (file) =>
      [`embedded-kube/${file.replace(/\.md$/, '')}`, readFileSync(join(EMBEDDED_KUBE, 'docs', file), 'utf8')] as const,
  );
  const readme = ['embedded-kube/', readFileSync(join(EMBEDDED_KUBE, 'README.md'), 'utf8')] as const;
  return [...own.map(({ name, text }) => [name, text.split('\n## Imports\n')[0]] as const), ...embedded, readme];
}

function splitIntoSections(name: string, text: string): readonly Section[] {
  const sections: Section[] = [];
  const above: string[] = [];
  let isCode = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const [, marks, heading] = (!isCode && /^(#+) (.*)$/.exec(line)) || [];
    if (marks) {
      above.splice(marks.length - 1);
      sections.push({ id: `/${name}#${sections.length}`, title: heading, titles: [...above], text: '' });
      above.push(heading);
    } else {
      sections.at(-1)!.text += `${line.replace(/\]\([^)]*\)/g, '')}\n`;
    }
  }
  return sections;
}
