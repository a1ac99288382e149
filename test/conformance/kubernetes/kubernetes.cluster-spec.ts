import { EmbeddedKube } from 'embedded-kube';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BINARY_MISSING, findTestBinary } from './test.binary.js';
import { readTests } from './test.list.js';
import { runTests } from './test.runner.js';

const binary = findTestBinary();
if (!binary) console.warn(`Kubernetes’ own tests are skipped: ${BINARY_MISSING}`);

describe('The tests of Kubernetes', () => {
  const tests = readTests().filter(({ sampled }) => sampled);

  it.skipIf(!binary)(`should pass: a sample of ${tests.length}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'embedded-kube-'));
    // As the command runs with --pods.
    const kube = await EmbeddedKube.start({ pods: { events: true }, authorization: 'rbac' });
    try {
      const kubeconfigPath = join(folder, 'kubeconfig');
      writeFileSync(kubeconfigPath, kube.kubeconfig, { mode: 0o600 });
      const results = await runTests(binary!, tests, { kubeconfigPath });
      expect(results.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
      expect(results).toHaveLength(40);
    } finally {
      await kube.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
