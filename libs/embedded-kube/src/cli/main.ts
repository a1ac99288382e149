#!/usr/bin/env node
import { EmbeddedKube } from '../embedded-kube.js';
import { type CliOptions, parseCliOptions, USAGE } from './cli.options.js';

async function run({ kubeconfig, data, token, ...options }: CliOptions): Promise<void> {
  const kube = await EmbeddedKube.start({ ...options, ...(data && { data }), ...(token && { token }) });
  if (kubeconfig) kube.writeKubeconfig(kubeconfig);
  process.stdout.write(`Serving Kubernetes on ${kube.url}\n`);
  if (kubeconfig) process.stdout.write(`Try: KUBECONFIG=${kubeconfig} kubectl get namespaces\n`);
  else process.stdout.write('Start with --kubeconfig FILE to get a kubeconfig for kubectl.\n');
  const stop = (): void => {
    kube.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
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
