// Compares embedded-kube with a real control plane; exits with 1 for the reasons that README.md names.
//   KUBEBUILDER_ASSETS=… npm run test:conformance -- [--only TEXT] [--requests 5000] [--histories 1500] [--seed 1] [--show 40] [--details FILE]
import { runSources } from '../../tools/run-sources.mjs';

await runSources(new URL('./main.ts', import.meta.url));
