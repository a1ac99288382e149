#!/usr/bin/env node
// The same program under the name by which kubectl finds plugins: `kubectl kopf`.
import { existsSync } from 'node:fs';

if (existsSync(new URL('../dist/main.js', import.meta.url))) {
  await import(new URL('./kopf.js', import.meta.url).href);
} else {
  console.error('kubectl-kopf is not built yet. In the workspace, run: npm run build -- kopf-cli');
  process.exitCode = 1;
}
