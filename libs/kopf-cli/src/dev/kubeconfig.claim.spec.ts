import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimFile } from './kubeconfig.claim.js';

describe('The kubeconfig of kopf dev', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'claim-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('should be another file for each session that runs at the same time', () => {
    const wanted = join(folder, 'cache', 'kubeconfig');
    const first = claimFile(wanted);
    const second = claimFile(wanted);
    expect([first.path, second.path]).toEqual([wanted, `${wanted}-2`]);
    first.release();
    const third = claimFile(wanted);
    expect(third.path).toBe(wanted);
    second.release();
    third.release();
    expect(existsSync(`${wanted}.pid`)).toBe(false);
  });

  it('should be the usual one after a session that has crashed', () => {
    const wanted = join(folder, 'kubeconfig');
    const { pid } = spawnSync('true');
    writeFileSync(`${wanted}.pid`, String(pid));
    expect(claimFile(wanted).path).toBe(wanted);
  });
});
