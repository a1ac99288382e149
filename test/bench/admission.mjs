// Measures validations beside Python's Kopf: KOPF_PYTHON=…/bin/python node test/bench/admission.mjs [REQUESTS] [CONNECTIONS]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'vite';

const root = resolve(import.meta.dirname, '../..');
const { KOPF_PYTHON, PYTHON } = process.env;
const python = KOPF_PYTHON ?? PYTHON;
if (!python) {
  console.error(
    'KOPF_PYTHON must name a python with the package kopf: python3 -m venv kopf && kopf/bin/pip install kopf',
  );
  process.exit(2);
}
// Beneath node_modules, so that the packages which stay outside of the programs are found.
const folder = mkdtempSync(join(root, 'node_modules/.bench-'));
try {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    resolve: { conditions: ['nestjs-kopf-source'] },
    ssr: { noExternal: ['nestjs-kopf', 'embedded-kube'], resolve: { conditions: ['nestjs-kopf-source'] } },
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: false,
      target: 'node20',
      rollupOptions: {
        input: {
          operator: join(import.meta.dirname, 'admission.operator.ts'),
          program: join(import.meta.dirname, 'admission.program.ts'),
        },
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs', format: 'es' },
      },
    },
  });
  const theirs = join(import.meta.dirname, 'admission_operator.py');
  const args = [join(folder, 'program.mjs'), join(folder, 'operator.mjs'), python, theirs, ...process.argv.slice(2)];
  execFileSync(process.execPath, args, { stdio: 'inherit' });
} catch (error) {
  if (error.status === undefined) throw error;
  process.exitCode = error.status;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
