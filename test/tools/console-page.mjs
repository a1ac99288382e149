// console-page.mjs [FOLDER]: bundles the page of the console, libs/kopf-console/page, into the folder, by default libs/kopf-console/dist/console-page.
// The names of all files but index.html have their hash, so that browsers keep them for ever.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = join(import.meta.dirname, '../..');
const SOURCE = join(ROOT, 'libs/kopf-console/page');

/** Builds the page. @returns the sizes of its files in bytes, by their names. */
export async function buildConsolePage(folder = join(ROOT, 'libs/kopf-console/dist/console-page')) {
  const texts = {
    'page.js': await bundleScript('main.tsx', 'esm'),
    'boot.js': await bundleScript('boot.ts', 'iife'),
    'page.css': readStyles(join(SOURCE, 'styles/page.css')),
    'icon.svg': readFileSync(join(SOURCE, 'icon.svg'), 'utf8'),
  };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'assets'), { recursive: true });
  let page = readFileSync(join(SOURCE, 'index.html'), 'utf8');
  const sizes = {};
  for (const [name, text] of Object.entries(texts)) {
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 10);
    const file = `${basename(name, extname(name))}-${hash}${extname(name)}`;
    writeFileSync(join(folder, 'assets', file), text);
    page = page.replaceAll(`{{${name}}}`, file);
    sizes[`assets/${file}`] = text.length;
  }
  writeFileSync(join(folder, 'index.html'), page);
  writeLicences(folder);
  return sizes;
}

async function bundleScript(input, format) {
  const build = await rolldown({
    cwd: SOURCE,
    input,
    platform: 'browser',
    tsconfig: join(SOURCE, 'tsconfig.json'),
    // The sources name the files that the compiler would make of them.
    resolve: { extensionAlias: { '.js': ['.tsx', '.ts', '.js'] } },
    logLevel: 'silent',
  });
  const { output } = await build.generate({ format, minify: true, comments: { legal: false } });
  await build.close();
  return output[0].code;
}

/** Puts imported styles in the place of their imports, and leaves out comments and space. */
function readStyles(file) {
  return readFileSync(file, 'utf8')
    .replace(/@import '(\.\/[^']+)';/g, (_, path) => readStyles(join(dirname(file), path)))
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .trim();
}

/** The package that becomes part of the page asks for its licence to go with it. */
function writeLicences(folder) {
  const preact = join(ROOT, 'node_modules/preact');
  const { name, version } = JSON.parse(readFileSync(join(preact, 'package.json'), 'utf8'));
  const text = `${name} ${version}\n\n${readFileSync(join(preact, 'LICENSE'), 'utf8')}`;
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), text);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await buildConsolePage(process.argv[2] && resolve(process.argv[2]));
}
