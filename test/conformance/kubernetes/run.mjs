// Runs Kubernetes' own tests against the command embedded-kube, which has to be built; exits with 1 if one of them fails.
//   KUBEBUILDER_ASSETS=… npm run test:kubernetes -- [--only TEXT] [--sample] [--list FILE] [--parallel 2] [--kubeconfig FILE]
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

await runnerImport(fileURLToPath(new URL('./main.ts', import.meta.url)), { logLevel: 'error' });
