import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { readReport, type TestResult } from './ginkgo.report.js';
import { kubectlPath } from '../../support/clusters/control-plane.js';
import { isSerial, type KubernetesTest } from './test.list.js';

/** Configures a run. */
export interface RunOptions {
  readonly kubeconfigPath: string;
  /** The number of processes at the same time. @default 2 */
  readonly parallel?: number;
  /** The number of tests that a process runs, one after another; starting one costs seconds. @default 10 */
  readonly batch?: number;
  /** Is told of the tests of a process when it ends. */
  readonly onResult?: (result: TestResult) => void;
}

/** The time for one process, in seconds; the slowest test takes a minute on a free machine. */
const LIMIT = 400;
/** The time in which an interrupted process writes its report, in seconds. */
const CLEANUP = 40;

/** Nothing of these concerns an API server: nodes to wait for, logs to collect, pictures of containers to load. */
const ARGUMENTS = [
  '--provider=skeleton',
  '--allowed-not-ready-nodes=-1',
  '--minStartupPods=-1',
  '--node-schedulable-timeout=5s',
  '--system-pods-startup-timeout=5s',
  '--e2e-verify-service-account=false',
  '--dump-logs-on-failure=false',
  '--repo-root=/nowhere',
  '--ginkgo.no-color',
];

/**
 * Runs tests of Kubernetes against a server: several processes at first, then those that need the server for themselves.
 *
 * @returns one result for each test, in the order of the list
 */
export async function runTests(
  binary: string,
  tests: readonly KubernetesTest[],
  { kubeconfigPath, parallel = 2, batch = 10, onResult = () => {} }: RunOptions,
): Promise<TestResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'kubernetes-tests-'));
  const results = new Map<string, TestResult>();
  let processes = 0;
  const work = async (batches: KubernetesTest[][]): Promise<void> => {
    for (let next = batches.shift(); next; next = batches.shift()) {
      const report = join(folder, `${processes++}.json`);
      const found = await runProcess(binary, next, kubeconfigPath, report);
      const left = next.filter(({ name }) => !found.some((result) => result.name === name));
      // One that hangs takes the time of those after it: they get another process.
      if (found.length > 0 && left.length > 0) batches.push(left);
      else found.push(...left.map(({ name }) => ({ name, outcome: 'missing', seconds: 0 }) as const));
      for (const result of found) {
        results.set(result.name, result);
        onResult(result);
      }
    }
  };
  try {
    const batches = split(tests.filter((test) => !isSerial(test)), batch); // prettier-ignore
    await Promise.all(Array.from({ length: parallel }, () => work(batches)));
    await work(split(tests.filter(isSerial), batch));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return tests.map(({ name }) => results.get(name)!);
}

function split<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

function runProcess(
  binary: string,
  tests: readonly KubernetesTest[],
  kubeconfig: string,
  report: string,
): Promise<TestResult[]> {
  const names = tests.map(({ name }) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const args = [
    ...ARGUMENTS,
    `--kubeconfig=${kubeconfig}`,
    `--kubectl-path=${kubectlPath()}`,
    `--ginkgo.focus=^(Kubernetes e2e suite )?(${names.join('|')})$`,
    `--ginkgo.timeout=${LIMIT}s`,
    `--ginkgo.json-report=${report}`,
  ];
  const options = { timeout: (LIMIT + CLEANUP) * 1000, killSignal: 'SIGKILL', maxBuffer: 2 ** 28 } as const;
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  return new Promise((resolve) => {
    // It exits with 1 if a test fails; the report has all that matters.
    execFile(binary, args, { ...options, env }, () => resolve(existsSync(report) ? readReport(report) : []));
  });
}
