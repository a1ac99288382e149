import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FirstSteps } from '../support/programs/first.steps.js';

const MODULE = pathToFileURL(join(import.meta.dirname, 'end-with-npm.mjs')).href;
const PROGRAM = `
  const { endWithNpm } = await import('${MODULE}');
  const running = setInterval(() => undefined, 1000);
  process.on('SIGTERM', () => { console.log('stopped'); clearInterval(running); });
  endWithNpm();
  console.log('started');
`;

describe('a program that npm starts', () => {
  it('should be told to stop when the shell between npm and it is ended', { timeout: 30_000 }, async () => {
    const script = `"${process.execPath}" --input-type=module -e "$PROGRAM"; true`;
    const shell = spawn('sh', ['-c', script], { env: { ...process.env, PROGRAM, npm_lifecycle_event: 'start' } });
    let output = '';
    const ended = once(shell.stdout.setEncoding('utf8'), 'end');
    shell.stdout.on('data', (text: string) => {
      output += text;
      if (output === 'started\n') shell.kill('SIGTERM');
    });
    await ended;
    expect(output).toBe('started\nstopped\n');
  });
});

describe('npm start', () => {
  it('should start the API server and the operator from their sources', async () => {
    const steps = new FirstSteps(join(import.meta.dirname, 'start.mjs'), 'ephemeral-volume-claims', 'main');
    onTestFinished(() => steps.close());
    await steps.start('Creation is processed');
    expect(steps.output).toMatch(/^Building ephemeral-volume-claims from its sources, and starting it …\n/);
    expect(steps.output).toContain('The API server is at https://');
    expect(steps.output).toContain('Creation is processed');
    const [console] = /http:\/\/127\.0\.0\.1:\d+\/kopf\//.exec(steps.output) ?? [];
    const page = await fetch(console!);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<title>')]);
    const objects = await fetch(`${console}api/objects`);
    expect(await objects.json()).toMatchObject({ items: [{ kind: 'EphemeralVolumeClaim', name: 'my-claim' }] });
    expect(await steps.end('SIGINT')).toBe(0);
  });
});
