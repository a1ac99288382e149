import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { rolldown } from 'rolldown';
import { PACKAGE_NAMES } from './libraries.mjs';

const ROOT = join(import.meta.dirname, '../..');
/** The libraries of this workspace, and what the compiler puts in of its own. All other packages are imported from node_modules. */
const INSIDE = new RegExp(`^(${PACKAGE_NAMES.join('|')}|@oxc-project/runtime)(/|$)`);
const LIBRARY = new RegExp(`^(${PACKAGE_NAMES.join('|')})(/|$)`);

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
    // What the bundler says of itself is nothing to whoever starts a program; what it cannot do, it throws.
    logLevel: 'silent',
  });
  const { output } = await build.generate({ file, codeSplitting: false, keepNames: true, sourcemap: true });
  await build.close();
  mkdirSync(dirname(file), { recursive: true });
  const [{ code, map }] = output;
  // The sources are there: their text is not needed in the map, which is read at each start.
  replaceFile(`${file}.map`, JSON.stringify({ ...map, sourcesContent: undefined }));
  replaceFile(
    file,
    `${code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '')}\n//# sourceMappingURL=${basename(file)}.map\n`,
  );
}

/** Writes a file at once, as another start may be about to read it. */
function replaceFile(file, text) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}

/**
 * Runs a program that {@link bundleSources} has made, in this process. Its errors have the lines of the sources; what somebody has to correct in
 * the code or the options is one message, wherever it arises, and the process ends with the code 1.
 *
 * @returns whether it was started.
 */
export async function runBundle(file) {
  process.setSourceMapsEnabled(true);
  process.on('uncaughtException', end);
  try {
    await import(pathToFileURL(file).href);
    return true;
  } catch (error) {
    end(error);
    return false;
  }
}

/** @param {unknown} error */
function end(error) {
  const isStartError = error instanceof Error && START_ERRORS.has(error.code);
  const text = isStartError
    ? `${error.message.startsWith('The operator cannot start:') ? '' : 'The operator cannot start: '}${error.message}`
    : inspect(error);
  process.stderr.write(`${text}\n`, () => process.exit(1));
}

/** The codes of the errors that somebody has to correct before a start makes sense. */
const START_ERRORS = new Set(['KOPF_BOOTSTRAP', 'KOPF_OPTIONS']);

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
