import 'reflect-metadata';
import type { EmbeddedKube } from 'embedded-kube';
import { KUBECONFIG } from './embedded.cluster.js';
import { EmbeddedProgram } from './embedded.program.js';
import { formatCommands } from './kubectl.commands.js';
import { readManifest } from './manifests.js';

/** "kopf" on the keys of a telephone: the same one each time, so that a bookmark stays; if another program has it, any free one. */
const DEFAULT_CONSOLE_PORT = 5673;

/**
 * Runs the operator with an API server of its own, and a first claim in it: `npm start [-- --verbose]`. `KUBE_PORT` and `CONSOLE_PORT` are
 * the ports of the API server and of the console, for those who need others.
 */
const program = new EmbeddedProgram();
const prepare = async ({ client }: EmbeddedKube): Promise<void> => {
  await client.create({ group: 'kopf.dev', plural: 'ephemeralvolumeclaims' }, 'default', readManifest('sample'));
};
try {
  const verbose = process.argv.includes('--verbose');
  const { KUBE_PORT, CONSOLE_PORT } = process.env;
  const port = Number(KUBE_PORT ?? 0);
  const consolePorts = CONSOLE_PORT === undefined ? [DEFAULT_CONSOLE_PORT, 0] : [Number(CONSOLE_PORT)];
  const { kube, console: address } = await program.start(
    verbose ? ['debug', 'log', 'warn', 'error'] : ['log', 'warn', 'error'],
    {
      prepare,
      port,
      consolePorts,
    },
  );
  console.log(`
The console of the operator is at ${address}
The API server is at ${kube.url}. Try in another shell, in this folder:

${formatCommands(KUBECONFIG)}

Ctrl-C stops both, and removes the kubeconfig.
`);
} catch (error) {
  console.error(`The operator could not be started: ${(error as Error).message}`);
  process.exitCode = 1;
  await program.stop();
}
