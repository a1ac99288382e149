import { Attach, Exec, KubeConfig, PortForward, type V1Status } from '@kubernetes/client-node';
import { EmbeddedKube } from 'embedded-kube';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';

const PODS = { group: '', plural: 'pods' };

describe('streams of simulated pods, over WebSockets', () => {
  let kube: EmbeddedKube;
  let config: KubeConfig;
  let untilRunning: Promise<void>;

  beforeAll(async () => {
    kube = await EmbeddedKube.start({ pods: { startSeconds: 0 } });
    config = new KubeConfig();
    config.loadFromString(kube.kubeconfig);
    untilRunning = new Promise((resolve) => {
      kube.client.watch(PODS, ({ object }) => {
        if ((object['status'] as { phase?: string } | undefined)?.phase === 'Running') resolve();
      });
    });
    const spec = { containers: [{ name: 'main', image: 'i' }] };
    await kube.client.create(PODS, 'default', { metadata: { name: 'web' }, spec });
    await untilRunning;
  });
  afterAll(() => kube.stop());

  async function exec(command: string[], input?: string): Promise<[string, string, V1Status]> {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const stdin = input === undefined ? null : new PassThrough().end(input);
    const status = new Promise<V1Status>((resolve, reject) => {
      new Exec(config)
        .exec('default', 'web', 'main', command, stdout, stderr, stdin, false, (result) => {
          stdout.end();
          stderr.end();
          resolve(result);
        })
        .catch(reject);
    });
    return [await text(stdout), await text(stderr), await status];
  }

  it('should answer commands as a test has set', async () => {
    const undo = kube.pods.exec('web', ({ command, container }) => `${container}: ${command.join(' ')}\n`);
    expect(await exec(['ls', '-l'])).toEqual(['main: ls -l\n', '', { metadata: {}, status: 'Success' }]);
    undo();
    kube.pods.exec({ name: 'web' }, { stdout: 'out', stderr: 'err', exitCode: 3 });
    const [stdout, stderr, status] = await exec(['fail']);
    expect([stdout, stderr, status.reason, status.details]).toEqual([
      'out',
      'err',
      'NonZeroExitCode',
      { causes: [{ reason: 'ExitCode', message: '3' }] },
    ]);
  });

  it('should give a command its input, and what it writes to the client while it runs', async () => {
    kube.pods.exec('web', async ({ input, write, writeError }) => {
      write('begin ');
      writeError('warning');
      return (await input()).toUpperCase();
    });
    expect(await exec(['cat'], 'shout')).toEqual(['begin SHOUT', 'warning', { metadata: {}, status: 'Success' }]);
  });

  it('should tell what a command throws', async () => {
    kube.pods.exec('web', () => {
      throw new Error('no such runtime');
    });
    const [, , status] = await exec(['ls']);
    expect([status.reason, status.message]).toEqual(['InternalError', 'Internal error occurred: no such runtime']);
  });

  it('should copy within a folder of this machine only', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'files-'));
    mkdirSync(join(folder, 'etc'));
    writeFileSync(join(folder, 'etc/app.conf'), 'a=1\n');
    const undo = kube.pods.files('web', folder);
    kube.pods.exec('web', 'another command');
    const isFolder = async (path: string): Promise<string | undefined> => (await exec(['test', '-d', path]))[2].status;
    expect([await isFolder('/etc'), await isFolder('/var')]).toEqual(['Success', 'Failure']);
    expect((await exec(['tar', 'cf', '-', '/etc/app.conf']))[0]).toContain('a=1\n');
    expect((await exec(['tar', 'cf', '-', `../../${folder}/etc/app.conf`]))[2].status).toBe('Failure');
    expect((await exec(['ls']))[0]).toBe('another command');
    undo();
    expect((await exec(['test', '-d', '/var']))[0]).toBe('another command');
    rmSync(folder, { recursive: true });
  });

  it('should answer those who attach', async () => {
    kube.pods.attach('web', 'hello', 'main');
    const stdout = new PassThrough();
    const socket = await new Attach(config).attach('default', 'web', 'main', stdout, null, null, false);
    const [chunk] = (await once(stdout, 'data')) as [Buffer];
    expect(chunk.toString()).toBe('hello');
    socket.close();
  });

  it('should forward ports to functions and to ports of this machine', async () => {
    const upper = createServer((socket) => socket.on('data', (chunk) => socket.write(chunk.toString().toUpperCase())));
    await once(upper.listen(0, '127.0.0.1'), 'listening');
    kube.pods.listen('web', 7, (connection) => connection.pipe(connection));
    kube.pods.listen('web', 80, (upper.address() as AddressInfo).port);
    for (const [port, expected] of [
      [7, 'ping'],
      [80, 'PING'],
    ] as const) {
      const [output, input] = [new PassThrough(), new PassThrough()];
      const socket = await new PortForward(config).portForward('default', 'web', [port], output, null, input);
      input.write('ping');
      const [chunk] = (await once(output, 'data')) as [Buffer];
      expect(chunk.toString()).toBe(expected);
      if ('close' in socket) socket.close();
    }
    upper.close();
  });

  it('should say on which port nothing listens', async () => {
    const errors = new PassThrough();
    await new PortForward(config).portForward('default', 'web', [81], new PassThrough(), errors, new PassThrough());
    const [chunk] = (await once(errors, 'data')) as [Buffer];
    expect(chunk.toString()).toContain('error forwarding port 81 to pod default/web');
  });
});
