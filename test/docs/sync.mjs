// Puts the regions of the examples into the pages, each into the block with its name, and files of the repository into the blocks that have
// their paths for names, and the help of the built command into the blocks that ask for it: node test/docs/sync.mjs
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const guides = join(root, 'libs/kopf/docs');
const pages = [['package', join(root, 'libs/kopf/README.md')]];
for (const file of readdirSync(guides).filter((name) => name.endsWith('.md')))
  pages.push([file.replace(/\.md$/, ''), join(guides, file)]);

for (const [name, path] of pages) {
  const example = join(import.meta.dirname, 'examples', `${name}.example.ts`);
  const examples = existsSync(example) ? readFileSync(example, 'utf8') : '';
  const found = examples.matchAll(/^\/\/ #region (.*)\n([^]*?)^\/\/ #endregion$/gm);
  const regions = new Map([...found].map(([, region, code]) => [region, code]));
  const text = readFileSync(path, 'utf8');
  const synced = text
    .replaceAll(/^```ts (.*)\n[^]*?^```$/gm, (block, region) =>
      regions.has(region) ? `\`\`\`ts ${region}\n${regions.get(region)}\`\`\`` : block,
    )
    .replaceAll(/^```(\w+) ((?:apps|k8s|test)\/.*)\n[^]*?^```$/gm, (_, language, path) => {
      return `\`\`\`${language} ${path}\n${readFileSync(join(root, path), 'utf8')}\`\`\``;
    })
    .replaceAll(/^```text kopf (.*--help)\n[^]*?^```$/gm, (_, args) => {
      const command = [join(root, 'libs/kopf-cli/bin/kopf.js'), ...args.split(' ')];
      return `\`\`\`text kopf ${args}\n${execFileSync(process.execPath, command, { cwd: root, encoding: 'utf8' })}\`\`\``;
    });
  if (synced !== text) writeFileSync(path, synced);
}
