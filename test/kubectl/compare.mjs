// Runs kubectl against a real control plane and against embedded-kube, and prints where the outputs differ; exits with 1 if they do.
//   KUBEBUILDER_ASSETS=… node test/kubectl/compare.mjs
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const { module } = await runnerImport(fileURLToPath(new URL('./comparison.ts', import.meta.url)), {
  configFile: false,
  logLevel: 'error',
  resolve: { conditions: ['source'], externalConditions: ['source'] },
});
const { steps, differences } = await module.compareKubectl();
for (const { step, lines } of differences) console.log(`$ kubectl ${step}\n${lines.join('\n')}\n`);
console.log(`${steps} steps, ${differences.length} with a difference`);
process.exitCode = differences.length ? 1 : 0;
