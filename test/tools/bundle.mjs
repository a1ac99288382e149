// bundle.mjs FOLDER: brings the compiled modules of a library into few files, one for each of its entry points and for what they share:
// Node reads and links hundreds of files much slower than the same code in a handful. Types stay one file a module.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const root = resolve(process.argv[2]);
const dist = join(root, 'dist');
const input = entriesOf(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
const folder = mkdtempSync(join(root, '.bundle-'));
try {
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(input.map((file) => [file.slice('./dist/'.length, -'.js'.length), file])),
    external: (id) => !/^[./]/.test(id),
    platform: 'node',
    treeshake: false,
  });
  await build.write({ dir: folder, entryFileNames: '[name].js', chunkFileNames: 'chunks/[name].js', keepNames: true });
  await build.close();
  for (const file of readdirSync(dist, { recursive: true })) if (file.endsWith('.js')) rmSync(join(dist, file));
  cpSync(folder, dist, { recursive: true });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The files that others import or run, as paths from the library's folder. */
function entriesOf({ exports, bin = {} }) {
  const imported = Object.values(exports).flatMap((entry) => entry.default ?? []);
  return [...imported, ...Object.values(bin)];
}
