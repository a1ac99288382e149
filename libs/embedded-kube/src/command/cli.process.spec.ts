import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../../../test/support/time/eventually.js';
import { CliProcess, useCommand } from './cli.process.spec-support.js';

const MAPS = '/api/v1/namespaces/default/configmaps';

const world = useCommand();

const start = (): Promise<CliProcess> =>
  CliProcess.start(
    world.command,
    '--port',
    '0',
    '--data',
    join(world.folder, 'data'),
    '--kubeconfig',
    join(world.folder, 'kubeconfig'),
  );

describe('the command', () => {
  it('should be the same server after a restart: objects, definitions, token, certificate', async () => {
    const first = await start();
    const kubeconfig = readFileSync(join(world.folder, 'kubeconfig'), 'utf8');
    await world.client.send(MAPS, 'POST', { metadata: { name: 'a' } });
    await first.end('SIGTERM');
    const second = await start();
    const again = readFileSync(join(world.folder, 'kubeconfig'), 'utf8');
    expect(again.replace(second.url, '')).toBe(kubeconfig.replace(first.url, ''));
    expect((await world.client.send(`${MAPS}/a`)).status).toBe(200);
    expect(statSync(join(world.folder, 'kubeconfig')).mode & 0o777).toBe(0o600);
    await second.end('SIGTERM');
  });

  it('should refuse a folder that another one uses, in one line', async () => {
    const first = await start();
    await expect(start()).rejects.toThrow(/exit 1: embedded-kube: .* is in use by process \d+/);
    await first.end('SIGTERM');
  });

  it('should explain itself', async () => {
    await expect(CliProcess.start(world.command, '--help')).rejects.toThrow(/exit 0: Usage: embedded-kube/);
    await expect(CliProcess.start(world.command, '--port', 'x')).rejects.toThrow(/exit 2: --port must be a number/);
  });

  it('should serve manifests from the start on, or name the one that is wrong', async () => {
    const manifests = join(world.folder, 'map.yaml');
    writeFileSync(manifests, '{ apiVersion: v1, kind: ConfigMap, metadata: { name: given } }');
    const kubeconfig = join(world.folder, 'kubeconfig');
    const options = ['--port', '0', '--kubeconfig', kubeconfig, '--manifests'];
    const server = await CliProcess.start(world.command, ...options, manifests);
    expect((await world.client.send(`${MAPS}/given`)).status).toBe(200);
    await server.end('SIGTERM');
    await expect(CliProcess.start(world.command, ...options, 'none.yaml')).rejects.toThrow(
      'exit 1: embedded-kube: the manifests none.yaml cannot be read: no such file or folder\n',
    );
  });

  it('should say what keeps it from starting, in one line, and leave nothing behind', async () => {
    const first = await start();
    const port = new URL(first.url).port;
    await expect(CliProcess.start(world.command, '--port', port)).rejects.toThrow(
      `exit 1: embedded-kube: cannot listen on port ${port} of 127.0.0.1: address already in use; choose another one by --port (0 takes a free one)\n`,
    );
    await first.end('SIGTERM');
    const nowhere = join(world.folder, 'none/kubeconfig');
    const data = join(world.folder, 'data');
    await expect(
      CliProcess.start(world.command, '--port', '0', '--data', data, '--kubeconfig', nowhere),
    ).rejects.toThrow(`cannot write the kubeconfig ${nowhere} (--kubeconfig): no such file or directory\n`);
    expect(existsSync(join(data, 'lock'))).toBe(false);
  });

  it('should go on when nobody reads what it prints', async () => {
    const kubeconfig = join(world.folder, 'kubeconfig');
    const child = CliProcess.startUnread(world.command, '--port', '0', '--kubeconfig', kubeconfig);
    const ended = once(child, 'exit');
    await eventually('the server is there', () => existsSync(kubeconfig));
    expect((await world.client.send(MAPS)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('should end cleanly on %s', async (signal) => {
    const server = await start();
    expect(existsSync(join(world.folder, 'kubeconfig'))).toBe(true);
    expect(await server.end(signal)).toBe(0);
    expect(server.errors()).toBe('');
    expect(existsSync(join(world.folder, 'kubeconfig'))).toBe(false);
  });
});
