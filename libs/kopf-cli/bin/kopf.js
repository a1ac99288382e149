#!/usr/bin/env node
// Stands beside the compiled program, because npm links a command only if its file is there when the workspace is installed: before the build.
import { existsSync, realpathSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const program = new URL('../dist/main.js', import.meta.url);
if (existsSync(program)) {
  // From Node.js 22 on, later starts need not compile the code again.
  module.enableCompileCache?.();
  await import(findLocal() ?? program.href);
} else {
  console.error('kopf is not built yet. In the workspace, run: npm run build -- kopf-cli');
  process.exitCode = 1;
}

/** The program that is installed for the project in the current folder, which finds the copy of nestjs-kopf that the project uses. */
function findLocal() {
  try {
    const manifest = createRequire(join(process.cwd(), 'kopf.js')).resolve('nestjs-kopf-cli/package.json');
    const local = join(realpathSync(manifest), '../dist/main.js');
    return existsSync(local) ? pathToFileURL(local).href : undefined;
  } catch {
    return undefined;
  }
}
