// start.mjs APPLICATION PROGRAM [ARGUMENTS]: runs one of the programs of an application from its sources, in this process, which hears of
// Ctrl-C, and ends with npm.
import { join } from 'node:path';
import { bundleSources, runBundle } from './bundle-sources.mjs';
import { buildConsolePage } from './console-page.mjs';
import { endWithNpm } from './end-with-npm.mjs';

const root = join(import.meta.dirname, '../..');
const [, , application, program] = process.argv;
console.log(`Building ${application} from its sources, and starting it …`);
endWithNpm();
// As deep as a built application is in dist, so that the program finds the manifests.
const file = join(root, 'dist/programs', application, `${program}.js`);
await Promise.all([
  bundleSources(join(root, 'apps', application, 'src', `${program}.ts`), file),
  // The console has its page from the package, whether the rest of this was built or not.
  buildConsolePage(),
]);
await runBundle(file);
