// Runs one TypeScript file with handlers in it: `npm run operator FILE`. Builds the libraries first, if they are not yet.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';

const root = join(import.meta.dirname, '../..');
const [file] = process.argv.slice(2);
if (!file) throw new Error('Usage: npm run operator FILE');

const missing = ['embedded-kube', 'kopf'].filter(
  (library) => !existsSync(join(root, 'libs', library, 'dist/index.js')),
);
if (missing.length > 0) {
  execFileSync(process.execPath, [join(root, 'test/tools/build.mjs'), ...missing], { cwd: root, stdio: 'inherit' });
}

const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
  compilerOptions: {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2023,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
  },
});
const folder = join(root, '.embedded-kube');
mkdirSync(folder, { recursive: true });
const script = join(folder, `${basename(file, '.ts')}.mjs`);
writeFileSync(script, outputText);
await import(pathToFileURL(script).href);
