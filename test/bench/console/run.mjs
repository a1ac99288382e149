// Measures the console: node test/bench/console/run.mjs viewers [OBJECTS] [SECONDS]
// The processor time is the operator's own, whose process is neither the API server's nor the viewer's.
import { runProgram } from '../run-program.mjs';

await runProgram('console', 'viewers');
