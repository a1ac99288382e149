// simulate.mjs [--plans N] [--seed S] [--target NAME…] [--findings FOLDER]: runs random plans over the applications of this project, and over
// random operators, in processes of bounded memory. The seed is printed; with it, the same plans are run again.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { PACKAGE_NAMES } from './libraries.mjs';

const ROOT = join(import.meta.dirname, '../..');
// Beneath node_modules, so that the packages which stay outside of the bundle are found.
const folder = mkdtempSync(join(ROOT, 'node_modules/.simulate-'));
try {
  // The simulation imports the API server as applications do, as an optional package: it is found beside the program.
  const server = join(folder, 'node_modules/embedded-kube');
  await bundle('libs/embedded-kube/src/index.ts', server, 'index.mjs');
  writeFileSync(join(server, 'package.json'), JSON.stringify({ name: 'embedded-kube', main: 'index.mjs' }));
  await bundle('test/simulation/simulate.program.ts', folder, 'program.mjs');
  const program = join(folder, 'program.mjs');
  const { status } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], { cwd: ROOT, stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Makes one file of a TypeScript file and of the libraries' sources. */
async function bundle(entry, outDir, name) {
  mkdirSync(outDir, { recursive: true });
  const conditions = ['nestjs-kopf-source'];
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'warn',
    resolve: { conditions },
    ssr: { noExternal: PACKAGE_NAMES, resolve: { conditions } },
    build: {
      ssr: entry,
      outDir,
      emptyOutDir: false,
      target: 'node20',
      rollupOptions: { output: { entryFileNames: name, format: 'es' } },
    },
  });
}
