// Builds the libraries and the applications, in the order of their dependencies: those given, or all.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const LIBRARIES = ['embedded-kube', 'kopf'];
const APPLICATIONS = ['ephemeral-volume-claims', 'load-tests', 'inventory-api', 'gallery', 'bench'];
const nest = createRequire(import.meta.url).resolve('@nestjs/cli/bin/nest.js');
const bundle = fileURLToPath(new URL('bundle.mjs', import.meta.url));
const projects = process.argv.length > 2 ? process.argv.slice(2) : [...LIBRARIES, ...APPLICATIONS];
for (const project of projects) {
  execFileSync(process.execPath, [nest, 'build', project], { stdio: 'inherit' });
  const folder = LIBRARIES.includes(project) ? `libs/${project}` : `dist/apps/${project}`;
  execFileSync(process.execPath, [bundle, folder], { stdio: 'inherit' });
}
