// Measures simulations of the tutorial's operator, and of the regression cases:
// npm run bench:simulation -- [plans [PLANS [memory]] | replays [REPLAYS] | regressions [--plans PLANS]]
// Processor time counts rather than time on the clock, so that what else runs on the machine changes little.
import { runProgram } from '../run-program.mjs';

await runProgram('simulation', 'plans');
