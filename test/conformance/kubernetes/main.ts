// Runs the tests that the command line asks for. It runs while it is imported, as modules can be loaded only until then.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { eventually } from '../../support/time/eventually.js';
import { TestProcess } from '../../support/programs/child.process.js';
import type { TestResult } from './ginkgo.report.js';
import { SlowestAnswer } from './slowest.answer.js';
import { BINARY_MISSING, findTestBinary } from './test.binary.js';
import { readTests } from './test.list.js';
import { runTests } from './test.runner.js';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    sample: { type: 'boolean', default: false },
    list: { type: 'string' },
    parallel: { type: 'string', default: '2' },
    kubeconfig: { type: 'string' },
  },
});

async function run(): Promise<boolean> {
  const binary = findTestBinary();
  if (!binary) throw new Error(BINARY_MISSING);
  const folder = mkdtempSync(join(tmpdir(), 'embedded-kube-'));
  // Another server is tested as it is: a real control plane, for example.
  const kubeconfigPath = values.kubeconfig ?? join(folder, 'kubeconfig');
  const server = values.kubeconfig ? undefined : await startCommand(kubeconfigPath);
  try {
    const slowest = SlowestAnswer.watch(kubeconfigPath);
    const list = values.list === undefined ? undefined : pathToFileURL(values.list);
    const tests = readTests(list).filter(
      ({ name, sampled }) => name.includes(values.only) && (sampled || !values.sample),
    );
    const parallel = Number(values.parallel);
    const results = await runTests(binary, tests, { kubeconfigPath, parallel, onResult: print });
    server?.check();
    const passed = results.filter(({ outcome }) => outcome === 'passed').length;
    console.log(`The slowest answer to /readyz took ${await slowest.stop()} ms.`);
    console.log(`${passed} of ${results.length} pass`);
    return passed === results.length;
  } finally {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startCommand(kubeconfig: string): Promise<TestProcess> {
  const command = fileURLToPath(new URL('../../../libs/embedded-kube/bin/embedded-kube.js', import.meta.url));
  const server = new TestProcess(process.execPath, [command, '--port', '0', '--pods', '--kubeconfig', kubeconfig]);
  await eventually('the command serves', () => {
    server.check();
    return server.output.includes('Serving Kubernetes on');
  });
  return server;
}

function print({ name, outcome, seconds, message }: TestResult): void {
  console.log(`${outcome.toUpperCase().padEnd(9)} ${seconds.toFixed(1).padStart(5)} s  ${name}`);
  if (message) console.log(message.replace(/^/gm, '            '));
}

process.exitCode = (await run()) ? 0 : 1;
