// bundle.mjs FOLDER: brings the compiled modules of a library or an application into few files, as Node reads and links hundreds of files
// much slower than the same code in a handful.
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

/** Packages that Nest imports only where they are used. */
const OPTIONAL = /^@nestjs\/(microservices|websockets)/;

const root = resolve(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
try {
  await (existsSync(join(root, 'package.json')) ? bundleLibrary() : bundleApplication());
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** One file for each entry point, and some for what they share, without other packages. Types stay one file a module. */
async function bundleLibrary() {
  const dist = join(root, 'dist');
  const { exports, bin = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const imported = Object.values(exports).flatMap((entry) => entry.default ?? []);
  const started = Object.values(bin).map((file) => findProgram(join(root, file)));
  const files = [...imported, ...started].map((file) => file.replace(/^.*\bdist\//, ''));
  await bundle(dist, files, { external: (id) => !/^[./]/.test(id), treeshake: false }, 'chunks/');
  for (const file of readdirSync(dist, { recursive: true })) if (file.endsWith('.js')) rmSync(join(dist, file));
  cpSync(folder, dist, { recursive: true });
}

/** The program in dist that the script of a command starts. */
function findProgram(script) {
  const [, program] = /new URL\('(\.\.\/dist\/[^']+)'/.exec(readFileSync(script, 'utf8')) ?? [];
  if (!program) throw new Error(`${script} does not say which program in dist it starts`);
  return program;
}

/** One file for each program, with the packages that it uses; what several share, or import later, is in files beside them. */
async function bundleApplication() {
  const programs = readdirSync(root).filter((file) => /^main(\.\w+)*\.js$/.test(file));
  await bundle(root, programs, { external: OPTIONAL }, '');
  rmSync(root, { recursive: true });
  cpSync(folder, root, { recursive: true });
}

async function bundle(cwd, files, options, chunks) {
  const input = Object.fromEntries(files.map((file) => [file.slice(0, -'.js'.length), `./${file}`]));
  const build = await rolldown({ cwd, input, platform: 'node', ...options });
  await build.write({ dir: folder, chunkFileNames: `${chunks}[name].js`, keepNames: true });
  await build.close();
}
