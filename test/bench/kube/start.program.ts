// The time from the start of the command to its first answer over HTTPS, and the processor time that it has taken until then.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { get } from 'node:https';
import { dirname, join } from 'node:path';
import { median, report } from './measuring.js';

const COMMAND = join(
  dirname(createRequire(import.meta.url).resolve('embedded-kube/package.json')),
  'bin/embedded-kube.js',
);
const starts = Number(process.argv[2] ?? 10);

const all: { readonly time: number; readonly processor: number }[] = [];
for (let index = 0; index < starts; index += 1) all.push(await start());
report(`first answer after the start, the least of ${starts}`, Math.min(...all.map(({ time }) => time)), 'ms');
report('first answer after the start, the median', median(all.map(({ time }) => time)), 'ms');
report('processor time until then, the median', median(all.map(({ processor }) => processor)), 'ms');

async function start(): Promise<(typeof all)[number]> {
  const before = performance.now();
  const child = spawn(process.execPath, [COMMAND, '--port', '0', '--token', 'bench'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const data of child.stdout) {
    output += String(data);
    const [, url] = /Serving Kubernetes on (\S+)/.exec(output) ?? [];
    if (!url) continue;
    const options = { rejectUnauthorized: false, headers: { authorization: 'Bearer bench' } };
    await new Promise((resolve, reject) => {
      get(`${url}/api/v1/namespaces`, options, (answer) => answer.resume().on('end', resolve)).on('error', reject);
    });
    const time = performance.now() - before;
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    child.kill();
    await once(child, 'exit');
    // Linux counts in hundredths of a second.
    return { time, processor: (Number(fields[11]) + Number(fields[12])) * 10 };
  }
  throw new Error('embedded-kube did not start');
}
