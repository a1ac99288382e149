import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { bundleProgram, type Bundle } from '../../../test/support/programs/bundle.js';
import { FirstSteps } from '../../../test/support/programs/first.steps.js';

describe('the program of npm start', () => {
  let main: Bundle;
  let failing: Bundle;
  let steps: FirstSteps;

  beforeAll(async () => {
    main = await bundleProgram(join(import.meta.dirname, '../src/main.ts'));
    failing = await bundleProgram(join(import.meta.dirname, 'fixtures/failing.program.ts'));
  });

  afterAll(() => {
    main?.remove();
    failing?.remove();
  });

  function use(bundle: Bundle): void {
    steps = new FirstSteps(bundle.path);
    onTestFinished(() => steps.close());
  }

  // Of one Ctrl-C, a program under npm hears twice: from the terminal and from npm.
  it.each<{ signals: NodeJS.Signals[] }>([
    { signals: ['SIGINT'] },
    { signals: ['SIGTERM'] },
    { signals: ['SIGHUP'] },
    { signals: ['SIGINT', 'SIGINT'] },
  ])('should take its kubeconfig away on $signals', async ({ signals }) => {
    use(main);
    await steps.start('Ctrl-C stops both');
    expect(steps.hasKubeconfig).toBe(true);
    expect(await steps.end(...signals)).toBe(0);
    expect(steps.hasKubeconfig).toBe(false);
    expect(steps.output).toContain('The operator has stopped.');
    expect(steps.output).not.toMatch(/ERROR|WARN/);
  });

  it('should leave a kubeconfig alone that somebody else has put there', async () => {
    use(main);
    await steps.start('Ctrl-C stops both');
    writeFileSync(steps.kubeconfig, 'mine');
    expect(await steps.end('SIGINT')).toBe(0);
    expect(steps.hasKubeconfig).toBe(true);
  });

  it('should take its kubeconfig away when it cannot start', async () => {
    use(failing);
    await steps.start('There is no first object');
    expect(await steps.end()).toBe(1);
    expect(steps.output).toContain('written: true');
    expect(steps.hasKubeconfig).toBe(false);
  });

  it('should take its kubeconfig away when it crashes', async () => {
    use(failing);
    await steps.start('This is a crash', { CRASHING: 'yes' });
    expect(await steps.end()).toBe(1);
    expect(steps.output).toContain('written: true');
    expect(steps.hasKubeconfig).toBe(false);
  });

  it('should have the console at the same address each time, or at another one if its port is taken', async () => {
    const addressOf = () => /console of the operator is at (\S+)/.exec(steps.output)![1];
    use(main);
    const first = steps;
    await first.start('Ctrl-C stops both');
    const port = new URL(addressOf()).port;
    use(main);
    await steps.start('Ctrl-C stops both');
    expect(new URL(addressOf()).port).not.toBe(port);
    await steps.end('SIGINT');
    await first.end('SIGINT');
    use(main);
    await steps.start('Ctrl-C stops both', { CONSOLE_PORT: port });
    expect(addressOf()).toBe(`http://127.0.0.1:${port}/kopf/`);
    await steps.end('SIGINT');
  });

  it.each(['KUBE_PORT', 'CONSOLE_PORT'])('should say in one line that the port of %s is taken', async (variable) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    use(main);
    await steps.start('could not be started', { [variable]: String(port) });
    expect(await steps.end()).toBe(1);
    expect(steps.output.trim()).toBe(
      `The operator could not be started: listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
    );
    expect(steps.hasKubeconfig).toBe(false);
  });

  it('should name its kubeconfig by the option, so that kubectl says in one line when it has gone', async () => {
    use(main);
    await steps.start('Ctrl-C stops both');
    await steps.end('SIGINT');
    expect(steps.commands.length).toBeGreaterThan(5);
    for (const command of steps.commands) {
      expect(command).toMatch(/^kubectl --kubeconfig \.embedded-kube\/kubeconfig /);
      // Only one kind can be watched at a time.
      if (/ (-w|--watch)\b/.test(command)) expect(command).not.toMatch(/ get \S*,/);
    }
  });
});
