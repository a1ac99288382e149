import { EmbeddedKube, type EmbeddedKubeOptions } from 'embedded-kube';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubectlPath, startControlPlane } from '../../support/clusters/control-plane.js';
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

/** The result of one scenario. */
export interface KubectlComparison {
  readonly steps: number;
  readonly differences: readonly Difference[];
  /** The number of lines that differ; one that is there in another form counts once. */
  readonly lines: number;
}

const SCENARIOS = new URL('./scenarios/', import.meta.url);
/** The scenario of custom resources needs no pods that run; all others have a scheduler and a node. */
const WITHOUT_NODE = 'definitions';
const NODE_NAME = 'kwok-node-0';
const NODES = { group: '', plural: 'nodes' };
const WITH_NODE: EmbeddedKubeOptions = { authorization: 'rbac', pods: { nodeName: NODE_NAME, events: true } };

/** The names of all scenarios. */
export function scenarioNames(): string[] {
  return readdirSync(SCENARIOS).map((file) => file.replace(/\.txt$/, ''));
}

/** Runs a scenario against a real control plane and against embedded-kube, at the same time, each of them new. */
export async function compareKubectl(scenario: string): Promise<KubectlComparison> {
  const steps = readScenario(new URL(`${scenario}.txt`, SCENARIOS));
  const node = scenario !== WITHOUT_NODE;
  const runs = await Promise.allSettled([runOnControlPlane(steps, node), runOnEmbedded(steps, node)]);
  const [expected, actual] = runs.map(outcome);
  const differences = steps.flatMap(({ text }, index) => {
    const lines = unifiedDifference(normalise(expected[index]), normalise(actual[index]));
    return lines.length ? [{ step: text, lines }] : [];
  });
  const count = (lines: readonly string[], sign: string): number => lines.filter((line) => line[0] === sign).length;
  const lines = differences.map((each) => Math.max(count(each.lines, '-'), count(each.lines, '+')));
  return { steps: steps.length, differences, lines: lines.reduce((sum, each) => sum + each, 0) };
}

/** Both runs come to their end and clean up before the failure of one is told. */
function outcome<T>(run: PromiseSettledResult<T>): T {
  if (run.status === 'rejected') throw run.reason;
  return run.value;
}

async function runOnControlPlane(steps: readonly ScenarioStep[], node: boolean): Promise<string[]> {
  const controlPlane = await startControlPlane({ node });
  try {
    return await runAll(steps, controlPlane.kubeconfigPath);
  } finally {
    await controlPlane.stop();
  }
}

async function runOnEmbedded(steps: readonly ScenarioStep[], node: boolean): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-kube-'));
  const server = await EmbeddedKube.start(node ? WITH_NODE : {});
  // The node of the real control plane has it, too.
  if (node) await server.client.patch(NODES, undefined, NODE_NAME, { metadata: { labels: { type: 'kwok' } } });
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
