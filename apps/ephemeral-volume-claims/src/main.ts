import 'reflect-metadata';
import { setTimeout } from 'node:timers/promises';
import type { LogLevel } from '@nestjs/common';
import type { EmbeddedKube } from 'embedded-kube';
import { KubeClient } from 'nestjs-kopf';
import { CLAIMS, type Claim } from './claims/claim.js';
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

/** Waits until the operator has handled a claim, at most some seconds, so that what it logs of that comes before the addresses. */
async function waitForClaim(client: KubeClient, name: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const { status } = await client.get<Claim>(CLAIMS, name, { namespace: 'default' });
    if (status?.create && status.usage) return;
    await setTimeout(50);
  }
}

try {
  const verbose = process.argv.includes('--verbose');
  const { KUBE_PORT, CONSOLE_PORT } = process.env;
  const port = Number(KUBE_PORT ?? 0);
  const consolePorts = CONSOLE_PORT === undefined ? [DEFAULT_CONSOLE_PORT, 0] : [Number(CONSOLE_PORT)];
  const levels: LogLevel[] = verbose ? ['debug', 'log', 'warn', 'error'] : ['warn', 'error'];
  const { kube, app, console: address } = await program.start(levels, { prepare, port, consolePorts });
  // How Nest wires the application is not shown, but what the operator does from now on.
  if (!verbose) app.useLogger(['log', 'warn', 'error']);
  await waitForClaim(app.get(KubeClient), 'my-claim');
  console.log(`
The operator is running. Try in another shell, in this folder:

${formatCommands(KUBECONFIG)}

The console of the operator is at ${address}
The API server is at ${kube.url}
Ctrl-C stops both, and removes the kubeconfig.
`);
} catch (error) {
  console.error(`The operator could not be started: ${(error as Error).message}`);
  process.exitCode = 1;
  await program.stop();
}
