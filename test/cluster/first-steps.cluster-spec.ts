import { join } from 'node:path';
import { bundleProgram, type Bundle } from '../support/programs/bundle.js';
import { eventually } from '../support/time/eventually.js';
import { FirstSteps } from '../support/programs/first.steps.js';
import { KubectlProcess } from '../support/clusters/kubectl.js';
import { kubectlPath } from '../support/clusters/control-plane.js';

describe('the commands that npm start prints', () => {
  let bundle: Bundle;
  let steps: FirstSteps;

  beforeAll(async () => {
    bundle = await bundleProgram(join(import.meta.dirname, '../../apps/ephemeral-volume-claims/src/main.ts'));
    steps = new FirstSteps(bundle.path);
    await steps.start('Ctrl-C stops both');
  });

  afterAll(() => {
    steps?.close();
    bundle?.remove();
  });

  /** Runs a command as it is pasted into a shell. */
  function run(command: string): KubectlProcess {
    const line = command.replace(/^kubectl/, `exec '${kubectlPath()}'`);
    const env = { PATH: process.env.PATH, HOME: steps.folder };
    return new KubectlProcess('sh', ['-c', line], { cwd: steps.folder, env });
  }

  it('should all be accepted by kubectl, one after the other, and have their effect', async () => {
    for (const command of steps.commands) {
      const running = run(command);
      onTestFinished(() => running.end());
      if (command.endsWith(' -w')) {
        await eventually('the claim has finished', () => /Finished/.test(running.output));
        await running.end();
      } else {
        const output = await running.finish();
        expect(output, command).not.toMatch(/\(exit code|error|warning/i);
        if (/ get /.test(command)) expect(output).toMatch(/ephemeralvolumeclaim.*my-claim[^]*persistentvolumeclaim/);
      }
      if (command.endsWith('sample.yaml')) {
        await eventually(
          'the claim is handled again',
          () => steps.output.match(/Creation is processed/g)?.length === 2,
        );
      }
    }
    expect(steps.output).not.toMatch(/WARN|ERROR/);
    expect(await run('kubectl --kubeconfig .embedded-kube/kubeconfig get evc').finish()).toBe(
      'No resources found in default namespace.',
    );
  });

  it('should say in one line that there is no server any more, when it has stopped', async () => {
    await steps.end('SIGINT');
    for (const command of steps.commands) {
      const output = await run(command).finish();
      const [first, ...rest] = output.split('\n');
      expect(first).toMatch(/\.embedded-kube\/kubeconfig: no such file or directory$/);
      expect(rest).toEqual(['(exit code 1)']);
    }
  });
});

describe('the commands that npm run inventory prints', () => {
  it('should be accepted by kubectl, but for the one that the cluster rejects', async () => {
    const start = join(import.meta.dirname, '../tools/start.mjs');
    const steps = new FirstSteps(start, 'inventory-api', 'main.demo');
    onTestFinished(() => steps.close());
    await steps.start('Ctrl-C stops both', { PORT: '0' });
    await eventually('there is a webhook', () => steps.output.includes('ValidatingWebhookConfiguration'));
    expect(steps.commands).toHaveLength(4);
    for (const command of steps.commands) {
      const line = command.replace(/^kubectl/, `exec '${kubectlPath()}'`);
      const env = { PATH: process.env.PATH, HOME: steps.folder };
      const output = await new KubectlProcess('sh', ['-c', line], { cwd: steps.folder, env }).finish();
      if (command.includes('-1')) expect(output).toMatch(/spec\.quantity: Invalid value: -1/);
      else expect(output, command).not.toMatch(/\(exit code|error|warning/i);
    }
    expect(await steps.end('SIGINT')).toBe(0);
  });
});
