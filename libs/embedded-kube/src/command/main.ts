#!/usr/bin/env node
// command: the executable `embedded-kube`: reads arguments, starts a server, stops it on signals.
// May import: the root, as a user of the package would, and the names of the controllers.

import { readFileSync } from 'node:fs';
import { EmbeddedKube } from '../embedded-kube.js';
import { type CliOptions, parseCliOptions, USAGE } from './cli.options.js';
import { describeFailure } from './start.failure.js';

/** Signals that ask the command to stop; the last one comes when its terminal is closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

async function run({ kubeconfig, data, token, pods, ...options }: CliOptions): Promise<void> {
  // Users of kubectl want to read in the events what becomes of pods.
  const simulated = pods && { events: true };
  const starting = EmbeddedKube.start({ ...options, pods: simulated, ...(data && { data }), ...(token && { token }) });
  // A signal that comes while the server starts ends it as well.
  const stop = (): void => {
    starting.then((kube) => kube.stop()).then(() => process.exit(0), fail);
  };
  for (const signal of SIGNALS) process.once(signal, stop);
  const kube = await starting;
  try {
    if (kubeconfig) kube.writeKubeconfig(kubeconfig);
  } catch (error) {
    await kube.stop();
    throw error;
  }
  process.stdout.write(`Serving Kubernetes on ${kube.url}\n`);
  if (kubeconfig) process.stdout.write(`Try: kubectl --kubeconfig ${kubeconfig} get namespaces\n`);
  else process.stdout.write('Start with --kubeconfig FILE to get a kubeconfig for kubectl.\n');
}

/** Returns the version of the package; the path is the same from the source and from the compiled program. */
function readVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}

function fail(error: unknown): void {
  process.stderr.write(`embedded-kube: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

// Who has started the command may stop reading what it prints, as `embedded-kube | head -1` does: that is no reason to stop serving.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

try {
  const options = parseCliOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(USAGE);
  else if (options.version) process.stdout.write(`${readVersion()}\n`);
  else run(options).catch((error: unknown) => fail(describeFailure(error, options)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 2;
}
