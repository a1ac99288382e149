#!/usr/bin/env node
// Stands beside the compiled program, because npm links a command only if its file is there when the workspace is installed: before the build.
import { existsSync } from 'node:fs';

const program = new URL('../dist/command/main.js', import.meta.url);
if (existsSync(program)) {
  await import(program.href);
} else {
  console.error('embedded-kube is not built yet. In the workspace, run: npm run build -- embedded-kube');
  process.exitCode = 1;
}
