// Runs kubectl against a real control plane and against embedded-kube, and prints where the outputs differ; exits with 1 if more than
// 10 lines do.
//   KUBEBUILDER_ASSETS=… npm run test:kubectl -- [SCENARIO …]    # files of the folder scenarios; all of them by default
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
await runnerImport(path('./main.ts'), {
  logLevel: 'error',
  resolve: { alias: { 'embedded-kube': path('../../../libs/embedded-kube/src/index.ts') } },
});
