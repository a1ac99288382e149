import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';

/** The placeholder in the built page for the relative path from its address to the path of the console. */
const BASE = '{{base}}';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
};

/** One file of the page, with its headers. */
export interface PageFile {
  readonly content: Buffer;
  readonly type: string;
}

/** The built page: `index.html`, and the files in `assets`, with hashes in their names. */
export class PageFiles {
  private readonly files = new Map<string, PageFile>();
  private page?: string;

  /** @param folder holds the built page. @default that of the package */
  constructor(private readonly folder = findFolder()) {}

  /**
   * Reads a script, a style, or an image; `undefined` if there is none of the name.
   *
   * @param name cannot lead to another folder: it has no slashes.
   */
  async asset(name: string): Promise<PageFile | undefined> {
    const type = TYPES[extname(name)] as string | undefined;
    if (type === undefined || !/^[\w.-]+$/.test(name) || name.startsWith('.')) return undefined;
    const known = this.files.get(name);
    if (known) return known;
    try {
      const file = { content: await readFile(join(this.folder, 'assets', name)), type };
      this.files.set(name, file);
      return file;
    } catch {
      return undefined;
    }
  }

  /**
   * Makes the page for an address.
   *
   * @param base the way from the address to the path of the console: `./`, `../`.
   * @returns `undefined` if the page was not built.
   */
  async index(base: string): Promise<string | undefined> {
    try {
      this.page ??= await readFile(join(this.folder, 'index.html'), 'utf8');
    } catch {
      return undefined;
    }
    return this.page.replaceAll(BASE, escapeAttribute(base));
  }
}

/** The page is built into the compiled package. */
function findFolder(): string {
  return join(dirname(createRequire(import.meta.url).resolve('nestjs-kopf-console/package.json')), 'dist/console-page');
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** Computes the way from an address of the page, with a slash in it, to the path of the console, so that the page works behind any prefix. */
export function baseOf(path: string): string {
  const depth = path.split('/').length - 2;
  return depth === 0 ? './' : '../'.repeat(depth);
}

/** The query that asks for {@link SLASH_SCRIPT}. */
export const SLASH_QUERY = 'add-slash';

/**
 * The page for the path of the console without a slash at its end. A proxy can have changed the path, so that only the browser knows where
 * the slash belongs; an address of only a query is the only one that leads back here.
 */
export const SLASH_PAGE = `<!doctype html><html lang="en"><title>Kopf console</title><script src="?${SLASH_QUERY}"></script></html>`;

/** The script that leads the browser to the path with a slash. */
export const SLASH_SCRIPT = "location.replace(location.pathname + '/' + location.search + location.hash);";
