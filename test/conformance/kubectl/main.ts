// The command `npm run test:kubectl`; see compare.mjs.
import { compareKubectl, scenarioNames } from './comparison.js';

const names = process.argv.length > 2 ? process.argv.slice(2) : scenarioNames();
let [all, differing, printed] = [0, 0, 0];
for (const name of names) {
  const { steps, differences, lines } = await compareKubectl(name);
  for (const difference of differences) {
    console.log(`$ kubectl ${difference.step}\n${difference.lines.join('\n')}\n`);
  }
  console.log(`${name}: ${steps} commands, ${differences.length} with a difference`);
  all += steps;
  differing += differences.length;
  printed += lines;
}
console.log(`${all} commands, ${differing} with a difference, ${printed} lines differ`);
process.exitCode = printed > 10 ? 1 : 0;
