// alone.mjs: packs the built libraries, and installs each of them with npm in a project outside of the workspace, with what it requires and
// nothing else, for both versions of Nest. It loads each entry point there, by import and by require(), and fails if one of them cannot be
// loaded or is loaded twice, or if another package of this repository was installed. Build the libraries before: npm run build
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PUBLISHED_FOLDERS } from '../../tools/libraries.mjs';
import { install, packLibraries } from './matrix.mjs';

const ROOT = join(import.meta.dirname, '../../..');
/** The peers of the entry points that need one, which other projects do without. */
const PEERS = {
  './health': '@nestjs/terminus',
  './metrics': 'prom-client',
  './tracing': '@opentelemetry/api',
  './plugin': 'typescript',
};

/** Prints for each entry point whether `import` and `require()` give the `same` module, `two`, or which error. */
const PROGRAM = `
const { readFileSync } = require('node:fs');
(async () => {
  for (const path of JSON.parse(process.argv[2])) {
    try {
      const [imported, required] = [await import(path), require(path)];
      const names = Object.keys(required).filter((name) => /^(function|symbol)$/.test(typeof required[name]));
      const isSame = names.length > 0 && names.every((name) => imported[name] === required[name]);
      console.log(path + ': ' + (isSame ? 'same' : 'two'));
    } catch (error) {
      console.log(path + ': ' + error.message.split('\\n', 1)[0]);
    }
  }
})();`;

const execute = promisify(execFile);

/** Returns the packages, with their tarballs and those of this repository that each requires. */
async function pack(folder) {
  const tarballs = await packLibraries(folder);
  const packages = PUBLISHED_FOLDERS.map((name, index) => ({
    tarball: tarballs[index],
    manifest: JSON.parse(readFileSync(join(ROOT, 'libs', name, 'package.json'), 'utf8')),
  }));
  const names = packages.map(({ manifest }) => manifest.name);
  return packages.map((one) => ({
    ...one,
    required: requiredBy(one.manifest)
      .map((name) => packages[names.indexOf(name)])
      .filter(Boolean),
  }));
}

/** The names of the packages that npm installs with a package. */
function requiredBy({ dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }) {
  return [
    ...Object.keys(dependencies),
    ...Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional),
  ];
}

/** Returns the problems of a package in a project with nothing else. */
async function tryAlone({ manifest, tarball, required }, packages, nest, cwd) {
  const needed = [{ manifest, tarball }, ...required];
  const frame = ['common', 'core'].map((name) => `@nestjs/${name}@${nest}`);
  const testing = 'nestjs-kopf-simulation' === manifest.name ? [`@nestjs/testing@${nest}`] : [];
  const others = manifest.name === 'embedded-kube' ? [] : [...frame, ...testing, 'reflect-metadata', 'rxjs'];
  // npm asks the registry for optional peers that several packages have, where those of this repository may not be published yet.
  await install(cwd, ['--legacy-peer-deps', ...others, ...needed.map((one) => one.tarball)]);
  const surplus = packages
    .map((one) => one.manifest.name)
    .filter((name) => !needed.some((one) => one.manifest.name === name))
    .filter((name) => existsSync(join(cwd, 'node_modules', name)));
  const paths = Object.entries(manifest.exports)
    .filter(([path, target]) => typeof target === 'object' && !(path in PEERS))
    .map(([path]) => manifest.name + path.slice(1));
  writeFileSync(join(cwd, 'load.cjs'), PROGRAM);
  const { stdout } = await execute(process.execPath, ['load.cjs', JSON.stringify(paths)], { cwd });
  const lines = stdout.trim().split('\n');
  return {
    paths: paths.length,
    problems: [...surplus.map((name) => `installs ${name}`), ...lines.filter((line) => !line.endsWith(': same'))],
  };
}

const folder = mkdtempSync(join(tmpdir(), 'alone-'));
try {
  const packages = await pack(folder);
  for (const nest of ['11', '12']) {
    for (const one of packages) {
      const { name } = one.manifest;
      const { paths, problems } = await tryAlone(one, packages, nest, join(folder, `${name}-${nest}`));
      console.log(
        `Nest ${nest}, ${name} alone: ${problems.length === 0 ? `works (${paths} entry points)` : `\n${problems.join('\n')}`}`,
      );
      if (problems.length > 0) process.exitCode = 1;
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
