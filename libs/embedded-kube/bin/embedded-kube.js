#!/usr/bin/env node
// Stands beside the compiled program, because npm links a command only if its file is there when the workspace is installed: before the build.
import { existsSync } from 'node:fs';
import module from 'node:module';

const program = new URL('../dist/command/main.js', import.meta.url);
if (existsSync(program)) {
  // From Node.js 22 on, later starts need not compile the code again.
  module.enableCompileCache?.();
  await import(program.href);
} else {
  console.error('embedded-kube is not built yet. In the workspace, run: npm run build -- embedded-kube');
  process.exitCode = 1;
}
