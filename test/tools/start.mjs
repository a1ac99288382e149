// start.mjs PROGRAM [ARGUMENTS]: builds the operator of ephemeral volume claims and what it needs, and runs one of its programs in this
// process, which hears of Ctrl-C, and ends with npm.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { endWithNpm } from './end-with-npm.mjs';

const root = join(import.meta.dirname, '../..');
const operator = 'ephemeral-volume-claims';
console.log('Building the operator and what it needs …');
const build = [join(import.meta.dirname, 'build.mjs'), 'embedded-kube', 'kopf', operator];
const { status } = spawnSync(process.execPath, build, { cwd: root, stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
endWithNpm();
await import(pathToFileURL(join(root, 'dist/apps', operator, process.argv[2])).href);
