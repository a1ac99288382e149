import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
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

  it.each(['SIGINT', 'SIGTERM'] as const)('should end cleanly on %s', async (signal) => {
    const server = await start();
    expect(existsSync(join(world.folder, 'kubeconfig'))).toBe(true);
    expect(await server.end(signal)).toBe(0);
    expect(server.errors()).toBe('');
    expect(existsSync(join(world.folder, 'kubeconfig'))).toBe(false);
  });
});
