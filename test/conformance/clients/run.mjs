// Runs clients that others wrote on a real control plane and on embedded-kube, and compares what they see; exits with 1 if a line differs.
// See README.md.
//   KUBEBUILDER_ASSETS=… npm run test:clients -- [CLIENT …] [--on embedded|real] [--offline]
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
await runnerImport(path('./main.ts'), {
  logLevel: 'error',
  resolve: { alias: { 'embedded-kube': path('../../../libs/embedded-kube/src/index.ts') } },
});
