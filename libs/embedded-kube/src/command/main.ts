#!/usr/bin/env node
// command: the executable `embedded-kube`: reads arguments, starts a server, stops it on signals.
// May import: the root, as a user of the package would, and the names of the controllers.

import { EmbeddedKube } from '../embedded-kube.js';
import { type CliOptions, parseCliOptions, USAGE } from './cli.options.js';

async function run({ kubeconfig, data, token, pods, ...options }: CliOptions): Promise<void> {
  // Whoever looks by kubectl wants to read in the events what becomes of pods.
  const simulated = pods && { events: true };
  const starting = EmbeddedKube.start({ ...options, pods: simulated, ...(data && { data }), ...(token && { token }) });
  // A signal that comes while the server starts ends it as well.
  const stop = (): void => {
    starting.then((kube) => kube.stop()).then(() => process.exit(0), fail);
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const kube = await starting;
  if (kubeconfig) kube.writeKubeconfig(kubeconfig);
  process.stdout.write(`Serving Kubernetes on ${kube.url}\n`);
  if (kubeconfig) process.stdout.write(`Try: kubectl --kubeconfig ${kubeconfig} get namespaces\n`);
  else process.stdout.write('Start with --kubeconfig FILE to get a kubeconfig for kubectl.\n');
}

function fail(error: unknown): void {
  process.stderr.write(`embedded-kube: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

try {
  const options = parseCliOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(USAGE);
  else run(options).catch(fail);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 2;
}
