// Runs one TypeScript file with handlers in it, and the libraries from their sources: `npm run operator FILE`.
import { basename, join, resolve } from 'node:path';
import { bundleSources, runBundle } from './bundle-sources.mjs';

const [, , program] = process.argv;
if (!program) throw new Error('Usage: npm run operator FILE');
console.log(`Building ${program}, and starting it …`);
const file = join(import.meta.dirname, '../../dist/programs', `${basename(program, '.ts')}.js`);
await bundleSources(resolve(program), file);
if (await runBundle(file)) console.log(`\n${basename(program)} is running, until you stop it by Ctrl-C.\n`);
