// Builds the libraries and the applications, in the order of their dependencies: those given, or all.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';

const ALL = ['embedded-kube', 'kopf', 'ephemeral-volume-claims', 'load-tests', 'inventory-api', 'gallery', 'bench'];
const nest = createRequire(import.meta.url).resolve('@nestjs/cli/bin/nest.js');
const projects = process.argv.length > 2 ? process.argv.slice(2) : ALL;
for (const project of projects) execFileSync(process.execPath, [nest, 'build', project], { stdio: 'inherit' });
