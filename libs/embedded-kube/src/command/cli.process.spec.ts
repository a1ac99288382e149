import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleCommand, CliProcess, KubeconfigClient } from './cli.process.spec-support.js';
import type { Bundle } from '../../../../test/support/bundle.js';

const MAPS = '/api/v1/namespaces/default/configmaps';

let command: Bundle;
let folder: string;
let client: KubeconfigClient;
beforeAll(async () => {
  command = await bundleCommand();
});
afterAll(() => command.remove());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'embedded-kube-'));
  client = new KubeconfigClient(join(folder, 'kubeconfig'));
});
afterEach(() => {
  client.close();
  rmSync(folder, { recursive: true, force: true });
});

const start = (): Promise<CliProcess> =>
  CliProcess.start(command, '--port', '0', '--data', join(folder, 'data'), '--kubeconfig', join(folder, 'kubeconfig'));

describe('the command', () => {
  it('should be the same server after a restart: objects, definitions, token, certificate', async () => {
    const first = await start();
    const kubeconfig = readFileSync(join(folder, 'kubeconfig'), 'utf8');
    await client.send(MAPS, 'POST', { metadata: { name: 'a' } });
    await first.end('SIGTERM');
    const second = await start();
    const again = readFileSync(join(folder, 'kubeconfig'), 'utf8');
    expect(again.replace(second.url, '')).toBe(kubeconfig.replace(first.url, ''));
    expect((await client.send(`${MAPS}/a`)).status).toBe(200);
    expect(statSync(join(folder, 'kubeconfig')).mode & 0o777).toBe(0o600);
    await second.end('SIGTERM');
  });

  it('should refuse a folder that another one uses, in one line', async () => {
    const first = await start();
    await expect(start()).rejects.toThrow(/exit 1: embedded-kube: .* is in use by process \d+/);
    await first.end('SIGTERM');
  });

  it('should explain itself', async () => {
    await expect(CliProcess.start(command, '--help')).rejects.toThrow(/exit 0: Usage: embedded-kube/);
    await expect(CliProcess.start(command, '--port', 'x')).rejects.toThrow(/exit 2: --port must be a number/);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('should end cleanly on %s', async (signal) => {
    const server = await start();
    expect(existsSync(join(folder, 'kubeconfig'))).toBe(true);
    expect(await server.end(signal)).toBe(0);
    expect(server.errors()).toBe('');
    expect(existsSync(join(folder, 'kubeconfig'))).toBe(false);
  });
});
