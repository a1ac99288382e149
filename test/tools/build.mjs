// build.mjs [PROJECT…]: builds libraries and applications, those given or all, after what they depend on, unless they are as they would be
// built: the same sources, configuration, packages and version of Node.js, and nothing missing of what was built.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findReasonToBuild, hashFiles, readRecord, removeRecord, writeRecord } from './build-record.mjs';
import { withFileLock } from './file-lock.mjs';
import { dependenciesOf, foldersOf, LIBRARY_FOLDERS, PACKAGE_NAMES } from './libraries.mjs';

const ROOT = join(import.meta.dirname, '../..');
const APPLICATIONS = ['ephemeral-volume-claims', 'load-tests', 'inventory-api', 'gallery', 'bench'];
/** Files on which the build of every project depends; the second lock file says which packages are installed. */
const COMMON = [
  'package.json',
  'package-lock.json',
  'node_modules/.package-lock.json',
  'nest-cli.json',
  'tsconfig.json',
  'test/tools/build.mjs',
  'test/tools/build-record.mjs',
  'test/tools/bundle.mjs',
  'test/tools/console-page.mjs',
  'test/tools/libraries.mjs',
];
/** Files on which no build depends; the tsconfig files of all projects exclude the specs. */
const EXCLUDED = /^\w+\/[^/]+\/(dist|docs|node_modules|test)$|\.(md|spec\.ts)$/;

/** The native compiler: `nest build` has that of TypeScript 6, which takes five times as long for the same result. */
const compiler = join(ROOT, 'node_modules/typescript7/bin/tsc');
const bundle = join(import.meta.dirname, 'bundle.mjs');
const projects = process.argv.length > 2 ? process.argv.slice(2) : [...LIBRARY_FOLDERS, ...APPLICATIONS];
const upToDate = [];
for (const project of new Set(projects.flatMap((project) => [...librariesOf(project), project]))) {
  const hasBuilt = await withFileLock(recordOf(project).replace(/json$/, 'lock'), () => build(project));
  if (!hasBuilt) upToDate.push(project);
}
if (upToDate.length > 0) console.log(`Already built: ${upToDate.join(', ')}.`);

/** Builds a project if there is a reason to; says whether there was. */
function build(project) {
  const isLibrary = LIBRARY_FOLDERS.includes(project);
  const source = isLibrary ? `libs/${project}` : `apps/${project}`;
  const output = isLibrary ? `libs/${project}/dist` : `dist/apps/${project}`;
  // A project is compiled against the built types of the libraries that it uses; applications are bundled with their built code, too.
  const dependencies = librariesOf(project).flatMap((library) => [
    `libs/${library}/package.json`,
    `libs/${library}/dist`,
  ]);
  const inputs = {
    'Node.js': process.version,
    ...hashFiles(ROOT, COMMON),
    ...hashFiles(ROOT, [source], (path) => !EXCLUDED.test(path)),
    ...hashFiles(ROOT, dependencies),
  };
  const record = recordOf(project);
  const reason = findReasonToBuild(readRecord(record), { inputs, outputs: hashFiles(ROOT, [output]) });
  if (!reason) return false;
  console.log(`Building ${project}, as ${reason} …`);
  removeRecord(record);
  rmSync(join(ROOT, output), { recursive: true, force: true });
  run(compiler, '-p', join(source, isLibrary ? 'tsconfig.lib.json' : 'tsconfig.app.json'));
  // The private package is a part of each bundle.
  if (project !== 'kube-common') run(bundle, isLibrary ? source : output);
  writeRecord(record, { inputs, outputs: hashFiles(ROOT, [output]) });
  return true;
}

/** The libraries that have to be built before a project, in the order of their builds. */
function librariesOf(project) {
  if (LIBRARY_FOLDERS.includes(project)) return dependenciesOf(project);
  const sources = readdirSync(join(ROOT, 'apps', project), { recursive: true }).filter((file) => file.endsWith('.ts'));
  const texts = sources.map((file) => readFileSync(join(ROOT, 'apps', project, file), 'utf8'));
  return foldersOf(PACKAGE_NAMES.filter((name) => texts.some((text) => new RegExp(`'${name}(/[^']*)?'`).test(text))));
}

function recordOf(project) {
  return join(ROOT, 'node_modules/.cache/builds', `${project}.json`);
}

function run(script, ...args) {
  execFileSync(process.execPath, [script, ...args], { cwd: ROOT, stdio: 'inherit' });
}
