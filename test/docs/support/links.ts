import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from './pages.js';

/** Finds the relative links of a page that lead nowhere: to no file, or to no heading of one. */
export function findBrokenLinks({ path, text }: Page): readonly string[] {
  const prose = text.replace(/^```[^]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(path, text, target));
}

function leadsSomewhere(from: string, text: string, target: string): boolean {
  const [file, anchor] = target.split('#');
  if (!file) return listAnchors(text).includes(anchor);
  const path = join(dirname(from), file);
  if (!existsSync(path) || !statSync(path).isFile()) return false;
  return anchor === undefined || listAnchors(readFileSync(path, 'utf8')).includes(anchor);
}

/** The anchors of a page's headings, as GitHub makes them. */
function listAnchors(text: string): readonly string[] {
  return [...text.replace(/^```[^]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
