// Runs a program of the tests in which the packages of this workspace are their sources, not what is built of them.
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const CONDITIONS = ['nestjs-kopf-source'];

/** Imports a TypeScript module and all that it imports; the module's own top level is the program. */
export async function runSources(url) {
  await runnerImport(fileURLToPath(url), {
    logLevel: 'error',
    resolve: { conditions: CONDITIONS },
    environments: { inline: { resolve: { conditions: CONDITIONS, externalConditions: CONDITIONS } } },
  });
}
