// Compares embedded-kube with a real control plane; exits with 1 for the reasons that README.md names.
//   KUBEBUILDER_ASSETS=… npm run test:conformance -- [--only TEXT] [--requests 5000] [--histories 1500] [--seed 1] [--show 40] [--details FILE]
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
await runnerImport(path('./main.ts'), {
  logLevel: 'error',
  resolve: { alias: { 'embedded-kube': path('../../../libs/embedded-kube/src/index.ts') } },
});
