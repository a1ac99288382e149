// Runs kubectl against a real control plane and against embedded-kube, and prints where the outputs differ; exits with 1 if more than
// 10 lines do.
//   KUBEBUILDER_ASSETS=… npm run test:kubectl -- [SCENARIO …]    # files of the folder scenarios; all of them by default
import { runSources } from '../../tools/run-sources.mjs';

await runSources(new URL('./main.ts', import.meta.url));
