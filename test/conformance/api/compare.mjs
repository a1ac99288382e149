// Compares embedded-kube with a real control plane; exits with 1 if a difference is not explained in the guide. See README.md.
//   KUBEBUILDER_ASSETS=… npm run test:conformance -- [--only TEXT] [--requests 5000] [--histories 1500] [--seed 1] [--show 40] [--details FILE]
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
await runnerImport(path('./main.ts'), {
  logLevel: 'error',
  resolve: { alias: { 'embedded-kube': path('../../../libs/embedded-kube/src/index.ts') } },
});
