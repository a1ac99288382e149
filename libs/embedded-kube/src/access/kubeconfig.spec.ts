import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedKube } from '../embedded-kube.js';

describe('a kubeconfig of embedded-kube', () => {
  let folder: string;
  let path: string;
  let kube: EmbeddedKube;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
    path = join(folder, 'config');
    kube = await EmbeddedKube.start({ port: false });
  });
  afterEach(async () => {
    await kube.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('should be there while the server runs, and not afterwards', async () => {
    const second = join(folder, 'second');
    kube.writeKubeconfig(path);
    kube.writeKubeconfig(second);
    expect(readFileSync(path, 'utf8')).toBe(kube.kubeconfig);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await kube.stop();
    expect([path, second].filter((file) => existsSync(file))).toEqual([]);
  });

  it('should stay when it is that of another server by now', async () => {
    kube.writeKubeconfig(path);
    const other = await EmbeddedKube.start({ port: false });
    other.writeKubeconfig(path);
    await kube.stop();
    expect(readFileSync(path, 'utf8')).toBe(other.kubeconfig);
    await other.stop();
    expect(existsSync(path)).toBe(false);
  });

  it('should stay when somebody has changed it', async () => {
    kube.writeKubeconfig(path);
    writeFileSync(path, `${kube.kubeconfig}# mine\n`);
    await kube.stop();
    expect(existsSync(path)).toBe(true);
  });

  it('should not keep the server from stopping when its folder has gone', async () => {
    kube.writeKubeconfig(path);
    rmSync(folder, { recursive: true });
    await expect(kube.stop()).resolves.toBeUndefined();
  });
});
