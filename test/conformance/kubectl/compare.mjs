// Runs kubectl against a real control plane and against embedded-kube, and prints where the outputs differ; exits with 1 if they do.
//   KUBEBUILDER_ASSETS=… node test/conformance/kubectl/compare.mjs
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const { module } = await runnerImport(path('./comparison.ts'), {
  logLevel: 'error',
  resolve: { alias: { 'embedded-kube': path('../../../libs/embedded-kube/src/index.ts') } },
});
const { steps, differences } = await module.compareKubectl();
for (const { step, lines } of differences) console.log(`$ kubectl ${step}\n${lines.join('\n')}\n`);
console.log(`${steps} steps, ${differences.length} with a difference`);
process.exitCode = differences.length ? 1 : 0;
