// Measures embedded-kube: node test/bench/kube/run.mjs scale [OBJECTS] | pods [PODS] | start [STARTS] | compare [REQUESTS]
// Processor time counts rather than time on the clock, so that what else runs on the machine changes little.
import { runProgram } from '../run-program.mjs';

await runProgram('kube', 'scale');
