// Runs clients that others wrote on a real control plane and on embedded-kube, and compares what they see; exits with 1 if a line differs.
// See README.md.
//   KUBEBUILDER_ASSETS=… npm run test:clients -- [CLIENT …] [--on embedded|real] [--offline]
import { runSources } from '../../tools/run-sources.mjs';

await runSources(new URL('./main.ts', import.meta.url));
