import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { rolldown } from 'rolldown';

const ROOT = join(import.meta.dirname, '../..');
/** The libraries of this workspace, and what the compiler puts in of its own. All other packages are imported from node_modules. */
const INSIDE = /^(nestjs-kopf|embedded-kube|@oxc-project\/runtime)(\/|$)/;
const LIBRARY = /^(nestjs-kopf|embedded-kube)(\/|$)/;

/**
 * Makes one file of a TypeScript program and of the sources of the libraries that it uses, in less than a second, as types are not checked.
 * It is made anew for each start: to find out whether something has changed would hardly be faster.
 *
 * @param entry the program.
 * @param file the file to write, somewhere in the workspace, so that Node finds the packages.
 */
export async function bundleSources(entry, file) {
  const build = await rolldown({
    cwd: ROOT,
    input: entry,
    platform: 'node',
    tsconfig: join(ROOT, 'tsconfig.json'),
    resolve: { conditionNames: ['nestjs-kopf-source'] },
    external: (id) => !isAbsolute(id) && !/^[.\0]/.test(id) && !INSIDE.test(id),
    plugins: [FIND_LIBRARIES],
  });
  const { output } = await build.generate({ codeSplitting: false, keepNames: true });
  await build.close();
  // Another start may be about to read the file.
  const draft = `${file}.${process.pid}`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(draft, output[0].code);
  renameSync(draft, file);
}

/** Finds the libraries for programs that are not in the workspace, too. */
const FIND_LIBRARIES = {
  name: 'find-libraries',
  resolveId: {
    filter: { id: LIBRARY },
    handler(id) {
      return this.resolve(id, join(ROOT, 'package.json'), { skipSelf: true });
    },
  },
};
