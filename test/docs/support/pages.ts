import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

/** Where the guides are. */
export const GUIDES = join(ROOT, 'libs/kopf/docs');
/** Where the code of the guides is kept, so that it can be run. */
export const EXAMPLES = join(import.meta.dirname, '../examples');

/** One page of the documentation. */
export interface Page {
  /** The page's name, which is the name of its examples, too. */
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

/** A piece of code with its name: a block of a page, or a region of a file of examples. */
export interface Snippet {
  readonly name: string;
  readonly code: string;
}

/** All pages: the guides, their index, and the page of the package. */
export function listPages(): readonly Page[] {
  const guides = readdirSync(GUIDES).filter((file) => file.endsWith('.md'));
  return [
    readPage('package', join(ROOT, 'libs/kopf/README.md')),
    ...guides.map((file) =>
      readPage(file === 'README.md' ? 'index' : file.slice(0, -'.md'.length), join(GUIDES, file)),
    ),
  ];
}

/** The TypeScript of a page, named by what follows `ts` in the first line of each block; without the files that it shows. */
export function listBlocks({ text }: Page): readonly Snippet[] {
  const blocks = [...text.matchAll(/^```(?:ts|typescript)\b *(.*)\n([^]*?)^```$/gm)];
  return blocks.map(([, name, code]) => ({ name, code })).filter(({ name }) => !isFile(name));
}

/** The files of this repository that a page shows as they are: the blocks that have a path for a name. */
export function listFiles({ text }: Page): readonly Snippet[] {
  const blocks = [...text.matchAll(/^```\w+ (.*)\n([^]*?)^```$/gm)];
  return blocks.map(([, name, code]) => ({ name, code })).filter(({ name }) => isFile(name));
}

/** Reads a file that a page shows, by its path in the repository. */
export function readFile(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function isFile(name: string): boolean {
  return /^(apps|k8s|test)\//.test(name);
}

/** The file with the examples of a page. */
export function exampleOf({ name }: Page): string {
  return join(EXAMPLES, `${name}.example.ts`);
}

/** The regions of the page's examples, in their order; none if the page has no examples. */
export function listRegions(page: Page): readonly Snippet[] {
  const path = exampleOf(page);
  if (!existsSync(path)) return [];
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/^\/\/ #region (.*)\n([^]*?)^\/\/ #endregion$/gm)].map(([, name, code]) => ({ name, code }));
}

function readPage(name: string, path: string): Page {
  return { name, path, text: readFileSync(path, 'utf8') };
}
