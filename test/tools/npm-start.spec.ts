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
    await steps.start('Ctrl-C stops both');
    expect(steps.output).toMatch(/^Building ephemeral-volume-claims from its sources, and starting it …\n/);
    expect(steps.output).toContain('The API server is at https://');
    expect(steps.output).toContain('Creation is processed');
    const [console] = /http:\/\/127\.0\.0\.1:\d+\/kopf\//.exec(steps.output) ?? [];
    const page = await fetch(console!);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<title>')]);
    const objects = await fetch(`${console}api/objects`);
    expect(await objects.json()).toMatchObject({ items: [{ kind: 'EphemeralVolumeClaim', name: 'my-claim' }] });
    // How Nest wires the application is not shown; the addresses come last, after what is logged of the first claim.
    expect(steps.output).not.toMatch(/InstanceLoader|RouterExplorer/);
    const [log, addresses] = steps.output.split('The operator is running.');
    expect(log.split('\n').length).toBeLessThan(10);
    expect(log).toContain('Creation is processed');
    expect(addresses.trim().split('\n').slice(-3)).toEqual([
      `The console of the operator is at ${console}`,
      expect.stringMatching(/^The API server is at https:\S+$/),
      'Ctrl-C stops both, and removes the kubeconfig.',
    ]);
    expect(await steps.end('SIGINT')).toBe(0);
  });
});
