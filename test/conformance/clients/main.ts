// The command `npm run test:clients`; see run.mjs.
import { parseArgs } from 'node:util';
import { CLIENTS } from './clients.js';
import { compareClient, onControlPlane, onEmbedded } from './comparison.js';

const { values, positionals } = parseArgs({
  options: { on: { type: 'string' }, offline: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const chosen = CLIENTS.filter(({ name }) => !positionals.length || positionals.includes(name));
let [equal, differing, skipped] = [0, 0, 0];
for (const { name, prepare } of chosen) {
  const run = await prepare(!values.offline).catch(reasonOf);
  if (typeof run === 'string') {
    console.log(`${name}: skipped, as ${run}`);
    skipped += 1;
  } else if (values.on) {
    // Shows the lines, for those who write the client.
    console.log((await (values.on === 'real' ? onControlPlane(run) : onEmbedded(run))).join('\n'));
  } else {
    const { lines, differences, times } = await compareClient(run);
    const seconds = [times.real, times.embedded].map((time) => (time / 1000).toFixed(1)).join(' and ');
    for (const line of differences) console.log(line);
    console.log(`${name}: ${lines} lines, ${differences.length} differ (${seconds} s)`);
    if (differences.length) differing += 1;
    else equal += 1;
  }
}
console.log(`${equal} equal, ${differing} differ, ${skipped} skipped`);
process.exitCode = differing ? 1 : 0;

/** Says why a client cannot run, as a tool or the network is missing: this is no difference between servers. */
function reasonOf(error: unknown): string {
  return `it cannot be got ready: ${String(error).split('\n', 3).join(' ')}`;
}
