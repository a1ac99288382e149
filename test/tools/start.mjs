// start.mjs APPLICATION PROGRAM [ARGUMENTS]: runs one of the programs of an application from its sources, in this process, which hears of
// Ctrl-C, and ends with npm.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleSources } from './bundle-sources.mjs';
import { endWithNpm } from './end-with-npm.mjs';

const root = join(import.meta.dirname, '../..');
const [, , application, program] = process.argv;
console.log(`Building ${application} from its sources, and starting it …`);
endWithNpm();
// As deep as a built application is in dist, so that the program finds the manifests.
const file = join(root, 'dist/programs', application, `${program}.js`);
await bundleSources(join(root, 'apps', application, 'src', `${program}.ts`), file);
await import(pathToFileURL(file).href);
