import 'reflect-metadata';
import type { EmbeddedKube } from 'embedded-kube';
import { KUBECONFIG } from './embedded.cluster.js';
import { EmbeddedProgram } from './embedded.program.js';
import { formatCommands } from './kubectl.commands.js';
import { readManifest } from './manifests.js';

/** Runs the operator with an API server of its own, and a first claim in it: `npm start [-- --verbose]`. */
const program = new EmbeddedProgram();
const prepare = async ({ client }: EmbeddedKube): Promise<void> => {
  await client.create({ group: 'kopf.dev', plural: 'ephemeralvolumeclaims' }, 'default', readManifest('sample'));
};
try {
  const verbose = process.argv.includes('--verbose');
  const port = Number(process.env.KUBE_PORT ?? 0);
  const { kube, console: address } = await program.start(
    verbose ? ['debug', 'log', 'warn', 'error'] : ['log', 'warn', 'error'],
    {
      prepare,
      port,
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
