// Compares by the arguments of the command line. It runs while it is imported, as modules can be loaded only until then.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareServers } from './comparison.js';
import { failureReasons, summarise, writeDetails } from './report.js';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    requests: { type: 'string' },
    histories: { type: 'string' },
    seed: { type: 'string', default: '1' },
    show: { type: 'string', default: '40' },
    details: { type: 'string', default: join(tmpdir(), 'conformance.json') },
  },
});
// Whoever looks at some cases has no use for random requests.
const requests = Number(values.requests ?? (values.only ? 0 : 5000));
const histories = Number(values.histories ?? (values.only ? 0 : 1500));
const result = await compareServers({ only: values.only, requests, histories, seed: Number(values.seed) });
writeDetails(values.details, result);
console.log(`Details: ${values.details}; seed ${values.seed}\n`);
console.log(summarise(result, Number(values.show)).join('\n'));
const reasons = failureReasons(result);
if (reasons.length > 0) console.log(['', 'Failed:', ...reasons].join('\n'));
process.exitCode = reasons.length > 0 ? 1 : 0;
