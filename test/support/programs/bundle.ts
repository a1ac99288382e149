import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { PACKAGE_NAMES } from '../../tools/libraries.mjs';

const ROOT = join(import.meta.dirname, '../../..');

/** A program in one file, which Node runs without any loader. */
export interface Bundle {
  readonly path: string;
  remove(): void;
}

/** Makes a program of a TypeScript file and of the libraries' sources, for processes that tests start and kill. */
export async function bundleProgram(entry: string): Promise<Bundle> {
  // Beneath node_modules, so that the packages which stay outside of the bundle are found.
  const folder = mkdtempSync(join(ROOT, 'node_modules/.programs-'));
  // As deep as an application is in dist, so that what it reads beside itself is found.
  const target = join(folder, 'program');
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'warn',
    resolve: { conditions: ['nestjs-kopf-source'] },
    ssr: { noExternal: [...PACKAGE_NAMES], resolve: { conditions: ['nestjs-kopf-source'] } },
    build: {
      ssr: entry,
      outDir: target,
      emptyOutDir: false,
      target: 'node20',
      rollupOptions: { output: { entryFileNames: 'program.mjs', format: 'es' } },
    },
  });
  return { path: join(target, 'program.mjs'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
