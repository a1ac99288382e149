// Measures the console: node test/bench/console/run.mjs viewers [OBJECTS] [SECONDS] | memory [OBJECTS] | latency [CHANGES]
// viewers: the processor time of the operator alone, whose process is neither the API server's nor the viewer's.
// memory, latency: the page in Chromium, with many objects, and from a change at the API server to the screen.
import { buildConsolePage } from '../../tools/console-page.mjs';
import { runProgram } from '../run-program.mjs';

await buildConsolePage();
await runProgram('console', 'viewers');
