// Puts the regions of the examples into the pages, each into the block with its name: node test/docs/sync.mjs
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const guides = join(root, 'libs/kopf/docs');
const pages = [['package', join(root, 'libs/kopf/README.md')]];
for (const file of readdirSync(guides)) pages.push([file.replace(/\.md$/, ''), join(guides, file)]);

for (const [name, path] of pages) {
  const example = join(import.meta.dirname, 'examples', `${name}.example.ts`);
  if (!existsSync(example)) continue;
  const found = readFileSync(example, 'utf8').matchAll(/^\/\/ #region (.*)\n([^]*?)^\/\/ #endregion$/gm);
  const regions = new Map([...found].map(([, region, code]) => [region, code]));
  const text = readFileSync(path, 'utf8');
  const synced = text.replaceAll(/^```ts (.*)\n[^]*?^```$/gm, (block, region) =>
    regions.has(region) ? `\`\`\`ts ${region}\n${regions.get(region)}\`\`\`` : block,
  );
  if (synced !== text) writeFileSync(path, synced);
}
