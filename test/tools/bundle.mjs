// bundle.mjs FOLDER: brings the compiled modules of a library or an application into few files, as Node reads and links hundreds of files
// much slower than the same code in a handful.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { buildConsolePage } from './console-page.mjs';

/** Packages that Nest imports only where they are used. */
const OPTIONAL = /^@nestjs\/(microservices|websockets)|^@fastify\/static$/;

/** The package whose code and types become a part of each library. */
const PRIVATE = 'kube-common';

const root = resolve(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
/** The packages that are modules only: they become part of the files in CommonJS, as Jest could not load them either. */
const MODULE_ONLY = /^@noble\/hashes(\/|$)/;

/** Less text to read at each start, and no checks for variables used before their declaration; names and lines stay as they are in errors. */
const FOR_START = {
  comments: { legal: true, annotation: false, jsdoc: false },
  topLevelVar: true,
  minify: {
    compress: { keepNames: { function: true, class: true } },
    mangle: false,
    codegen: { removeWhitespace: false },
  },
};

/** Reads the compiler's maps, so that those of the bundles lead to the sources. */
const MAPS = {
  name: 'maps',
  load: {
    filter: { id: /\.js$/ },
    handler(id) {
      if (!existsSync(`${id}.map`)) return null;
      const map = JSON.parse(readFileSync(`${id}.map`, 'utf8'));
      const [library, file] = id.split(/[\\/]dist[\\/](?!.*[\\/]dist[\\/])/);
      // The sources are not in the package: stack traces have the names and lines by which they are found in the repository.
      const isPrivate = basename(library) === PRIVATE;
      const source = join(root, 'src', isPrivate ? PRIVATE : '', file.replace(/js$/, 'ts'));
      const code = readFileSync(id, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '');
      return { code, map: { ...map, sourceRoot: '', sources: [source] } };
    },
  },
};

try {
  await (existsSync(join(root, 'package.json')) ? bundleLibrary() : bundleApplication());
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * One file for each entry point, command, and module that a thread of its own runs (`*.thread.ts`), and some for what they share, without
 * other packages. Types stay one file a module.
 * The same in CommonJS for the entry points that have a condition `require`: Node.js loads the modules for `require()` as well, by the
 * condition `module-sync`, but Jest cannot do so before Node.js 24.9.
 */
async function bundleLibrary() {
  const dist = join(root, 'dist');
  const { name, exports, bin = {}, schematics } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entries = Object.values(exports).filter((entry) => entry.default);
  const required = entries.filter((entry) => entry.require);
  const started = [...new Set(Object.values(bin).flatMap((file) => findPrograms(join(root, file))))];
  const generators = schematics ? findFactories(join(root, schematics)) : [];
  const threads = readdirSync(dist, { recursive: true }).filter((file) => file.endsWith('.thread.js'));
  const files = [
    ...entries.map((entry) => entry.default),
    ...started,
    ...generators,
    ...threads.map((file) => `./dist/${file}`),
  ];
  const modules = files.map(toInput);
  const inlined = new Map();
  const chunks = [
    ...(await generate(modules, { external: isPackage, plugins: [MAPS], treeshake: false }, { format: 'esm' }, 'js')),
    ...(await generate(
      required.map((entry) => entry.default).map(toInput),
      { external: (id) => isPackage(id) && !MODULE_ONLY.test(id), plugins: [MAPS, inline(name, inlined)] },
      // Without `exports: 'named'`, a module with a default export alone would be that export.
      { format: 'cjs', exports: 'named', dynamicImportInCjs: false },
      'cjs',
    )),
  ];
  for (const file of readdirSync(dist, { recursive: true })) {
    if (/\.js(\.map)?$/.test(file)) rmSync(join(dist, file));
  }
  for (const { file, text } of chunks) writeText(join(dist, file), text);
  for (const { require } of required) {
    writeText(join(root, require.types), `export * from './${basename(require.types, '.d.cts')}.js';\n`);
  }
  includePrivateTypes(dist);
  removeUnreachableTypes(
    dist,
    entries.map(({ types }) => join(root, types)),
  );
  if (existsSync(join(root, 'page'))) await buildConsolePage(join(dist, 'console-page'));
  if (inlined.size > 0) writeText(join(dist, 'THIRD-PARTY-LICENSES.txt'), [...inlined.values()].sort().join('\n'));
}

/** Whether an import is of a package that is installed with this one; the private package becomes a part of it. */
function isPackage(id) {
  return !/^[./]/.test(id) && id !== PRIVATE;
}

/** Puts the types of the private package beside those of the library, and has them imported from there. */
function includePrivateTypes(dist) {
  const folder = join(dist, PRIVATE);
  const types = join(root, '..', PRIVATE, 'dist');
  for (const file of readdirSync(types))
    if (file.endsWith('.d.ts')) writeText(join(folder, file), readFileSync(join(types, file), 'utf8'));
  for (const file of readdirSync(dist, { recursive: true })) {
    if (!file.endsWith('.d.ts')) continue;
    const text = readFileSync(join(dist, file), 'utf8');
    const path = relative(dirname(join(dist, file)), join(folder, 'index.js')).replaceAll('\\', '/');
    const specifier = path.startsWith('.') ? path : `./${path}`;
    const changed = text.replaceAll(`'${PRIVATE}'`, `'${specifier}'`).replaceAll(`"${PRIVATE}"`, `"${specifier}"`);
    if (changed !== text) writeText(join(dist, file), changed);
  }
}

/** Removes the types that no entry point leads to: nothing outside of the library can refer to them. */
function removeUnreachableTypes(dist, entries) {
  const reached = new Set(entries);
  for (const file of reached) {
    for (const [, path] of readFileSync(file, 'utf8').matchAll(
      /(?:\bfrom|\bimport\(|\bimport)\s*["'](\.[^"']+)["']/g,
    )) {
      reached.add(join(dirname(file), path.replace(/\.js$/, '.d.ts')));
    }
  }
  for (const file of readdirSync(dist, { recursive: true })) {
    if (file.endsWith('.d.ts') && !reached.has(join(dist, file))) rmSync(join(dist, file));
  }
}

function toInput(file) {
  return file.replace(/^.*\bdist\//, './');
}

/** Finds packages for libraries that are not in the workspace, too, and collects their licences. */
function inline(library, licences) {
  return {
    name: 'inline',
    resolveId: {
      filter: { id: MODULE_ONLY },
      async handler(id) {
        const from = join(import.meta.dirname, '../../node_modules', library, 'package.json');
        const found = await this.resolve(id, realpathSync(from), { skipSelf: true });
        const [name] = /^@[^/]+\/[^/]+/.exec(id);
        const folder = found.id.slice(0, found.id.lastIndexOf(name) + name.length);
        const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
        licences.set(name, `${name} ${version}\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8')}`);
        return found;
      },
    },
  };
}

/** Bundles files of the folder dist; returns texts by file names relative to that folder. */
async function generate(files, options, output, ending) {
  const dist = join(root, 'dist');
  const input = Object.fromEntries(files.map((file) => [file.slice('./'.length, -'.js'.length), file]));
  const build = await rolldown({ cwd: dist, input, platform: 'node', logLevel: 'silent', ...options });
  const { output: chunks } = await build.generate({
    dir: dist,
    entryFileNames: `[name].${ending}`,
    chunkFileNames: `chunks/[name].${ending}`,
    keepNames: true,
    // The documentation is in the types.
    comments: { legal: true, annotation: true, jsdoc: false },
    sourcemap: true,
    ...output,
  });
  await build.close();
  return chunks.map(({ fileName, code, source }) => ({ file: fileName, text: code ?? withoutContent(source) }));
}

/** The names and lines of the sources are all that stack traces need. */
function withoutContent(text) {
  const { sourcesContent: _, ...map } = JSON.parse(text);
  return JSON.stringify(map);
}

function writeText(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** The files of the functions that Nest's command calls. */
function findFactories(collection) {
  const { schematics } = JSON.parse(readFileSync(collection, 'utf8'));
  return [...new Set(Object.values(schematics).map(({ factory }) => factory.split('#', 1)[0]))];
}

/** The program in dist that the script of a command starts. */
function findPrograms(script) {
  const text = readFileSync(script, 'utf8');
  // What imports nothing is the whole program.
  if (!/\bimport\b/.test(text.replace(/^\/\/.*$/gm, ''))) return [];
  const [, program] = /new URL\('(\.\.\/dist\/[^']+)'/.exec(text) ?? [];
  if (!program) throw new Error(`${script} does not say which program in dist it starts`);
  return [program];
}

/** One file for each program, with the packages that it uses; what several share, or import later, is in files beside them. */
async function bundleApplication() {
  const programs = readdirSync(root).filter((file) => /^main(\.\w+)*\.js$/.test(file));
  await bundle(root, programs, { external: OPTIONAL });
  rmSync(root, { recursive: true });
  cpSync(folder, root, { recursive: true });
}

async function bundle(cwd, files, options) {
  const input = Object.fromEntries(files.map((file) => [file.slice(0, -'.js'.length), `./${file}`]));
  const build = await rolldown({ cwd, input, platform: 'node', logLevel: 'silent', ...options });
  // Decorators need reflect-metadata, which Nest imports first. The bundler would run it where the importing module begins, as it is CommonJS:
  // after the decorators of all modules that this one imports.
  cpSync(
    join(import.meta.dirname, '../../node_modules/reflect-metadata/Reflect.js'),
    join(folder, 'reflect-metadata.js'),
  );
  const banner = "import './reflect-metadata.js';";
  await build.write({ dir: folder, chunkFileNames: '[name].js', keepNames: true, banner, ...FOR_START });
  await build.close();
}
