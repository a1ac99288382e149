// Builds the site of the guides, those of embedded-kube and the reference from the code's own documentation included, into dist/docs:
// node test/tools/docs.mjs
// With --dev, it serves the site while one writes.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const guides = join(root, 'libs/kopf/docs');
const reference = join(guides, 'reference');

function run(name, args) {
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules', name), ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}

/** To VitePress, a page named Index is the index of its folder, so the symbol of that name gets another file. */
function renameIndexPages() {
  for (const file of readdirSync(reference, { recursive: true }).filter((name) => name.endsWith('.md'))) {
    const path = join(reference, file);
    const text = readFileSync(path, 'utf8');
    const changed = text.replaceAll(/\b(Index)(\.md[)#])/g, '$1-$2');
    if (changed !== text) writeFileSync(path, changed);
    if (basename(path) === 'Index.md') renameSync(path, join(dirname(path), 'Index-.md'));
  }
}

/** The site has one folder of pages: the guides of embedded-kube come into it from where its sources are, with its README as their index. */
function copyGuidesOfEmbeddedKube() {
  const from = join(root, 'libs/embedded-kube');
  const to = join(guides, 'embedded-kube');
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to);
  const inReadme = readFileSync(join(from, 'README.md'), 'utf8');
  writeFileSync(
    join(to, 'README.md'),
    inReadme.replaceAll('](docs/README.md', '](./differences.md').replaceAll('](docs/', '](./'),
  );
  for (const file of readdirSync(join(from, 'docs'))) {
    const text = readFileSync(join(from, 'docs', file), 'utf8').replaceAll('](./README.md', '](./differences.md');
    writeFileSync(join(to, file.replace('README', 'differences')), text.replaceAll('](../README.md', '](./README.md'));
  }
}

copyGuidesOfEmbeddedKube();
rmSync(reference, { recursive: true, force: true });
run('typedoc/bin/typedoc', ['--options', 'libs/kopf/typedoc.config.mjs']);
renameIndexPages();
run('vitepress/bin/vitepress.js', [process.argv.includes('--dev') ? 'dev' : 'build', 'libs/kopf/docs']);
