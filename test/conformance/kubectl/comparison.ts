import { EmbeddedKube } from 'embedded-kube';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubectlPath, startControlPlane } from '../../support/control-plane.js';
import { KubectlRunner } from './kubectl.runner.js';
import { normalise } from './output.normaliser.js';
import { readScenario, type ScenarioStep } from './scenario.reader.js';
import { unifiedDifference } from './unified.diff.js';

/** A step whose output differs. */
export interface Difference {
  readonly step: string;
  /** `-` for what the real server makes kubectl print, `+` for embedded-kube. */
  readonly lines: readonly string[];
}

/** Runs the scenario against a real control plane and against embedded-kube, at the same time. */
export async function compareKubectl(): Promise<{ steps: number; differences: Difference[] }> {
  const steps = readScenario(new URL('./scenario.txt', import.meta.url));
  const runs = await Promise.allSettled([runOnControlPlane(steps), runOnEmbedded(steps)]);
  const [expected, actual] = runs.map(outcome);
  const differences = steps.flatMap(({ text }, index) => {
    const lines = unifiedDifference(normalise(expected[index]), normalise(actual[index]));
    return lines.length ? [{ step: text, lines }] : [];
  });
  return { steps: steps.length, differences };
}

/** Both runs come to their end and clean up before the failure of one is told. */
function outcome<T>(run: PromiseSettledResult<T>): T {
  if (run.status === 'rejected') throw run.reason;
  return run.value;
}

async function runOnControlPlane(steps: readonly ScenarioStep[]): Promise<string[]> {
  const controlPlane = await startControlPlane();
  try {
    return await runAll(steps, controlPlane.kubeconfigPath);
  } finally {
    await controlPlane.stop();
  }
}

async function runOnEmbedded(steps: readonly ScenarioStep[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-kube-'));
  const server = await EmbeddedKube.start({});
  try {
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, server.kubeconfig, { mode: 0o600 });
    return await runAll(steps, kubeconfig);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runAll(steps: readonly ScenarioStep[], kubeconfig: string): Promise<string[]> {
  const runner = new KubectlRunner(kubectlPath(), kubeconfig);
  const outputs: string[] = [];
  try {
    for (const step of steps) outputs.push(await runner.run(step));
  } finally {
    await runner.close();
  }
  return outputs;
}
