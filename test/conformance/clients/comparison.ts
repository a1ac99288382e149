import { EmbeddedKube } from 'embedded-kube';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startControlPlane } from '../../support/clusters/control-plane.js';
import { unifiedDifference } from '../kubectl/unified.diff.js';
import type { ClientRun } from './client.js';

/** The answers that a client saw on both servers. */
export interface ClientComparison {
  readonly lines: number;
  /** `-` for what it saw on the real control plane, `+` for embedded-kube. */
  readonly differences: readonly string[];
  /** Milliseconds that the run took on each server. */
  readonly times: { readonly real: number; readonly embedded: number };
}

const NODE_NAME = 'kwok-node-0';

/** Runs a client on a real control plane, then on embedded-kube, each of them new, with a simulated node and all controllers. */
export async function compareClient(run: ClientRun): Promise<ClientComparison> {
  const [expected, real] = await timed(() => onControlPlane(run));
  const [actual, embedded] = await timed(() => onEmbedded(run));
  const differences = unifiedDifference(expected.join('\n'), actual.join('\n'));
  return { lines: expected.length, differences, times: { real, embedded } };
}

/** Runs a client on embedded-kube alone. */
export async function onEmbedded(run: ClientRun): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'clients-'));
  const kube = await EmbeddedKube.start({ authorization: 'rbac', pods: { nodeName: NODE_NAME, events: true } });
  try {
    const kubeconfig = join(folder, 'kubeconfig');
    kube.writeKubeconfig(kubeconfig);
    return await run(kubeconfig);
  } finally {
    await kube.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a client on a real control plane alone. */
export async function onControlPlane(run: ClientRun): Promise<readonly string[]> {
  const cluster = await startControlPlane({ node: true });
  try {
    return await run(cluster.kubeconfigPath);
  } finally {
    await cluster.stop();
  }
}

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const begun = performance.now();
  const result = await work();
  return [result, Math.round(performance.now() - begun)];
}
