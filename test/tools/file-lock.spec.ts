import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withFileLock } from './file-lock.mjs';

describe('a lock of several processes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'file-lock-'));
  const file = join(folder, 'locks/build');

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('should let one action run after the other, and be free after a failure', async () => {
    const notes: string[] = [];
    const act = (name: string) => async (): Promise<string> => {
      notes.push(`${name} begins`);
      await Promise.resolve();
      notes.push(`${name} ends`);
      if (name === 'first') throw new Error('It fails.');
      return name;
    };
    const first = withFileLock(file, act('first'));
    const second = withFileLock(file, act('second'));
    await expect(first).rejects.toThrow('It fails.');
    expect(await second).toBe('second');
    expect(notes).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
    expect(existsSync(file)).toBe(false);
  });

  it('should not be held by a process that has ended', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    writeFileSync(file, String(pid));
    expect(await withFileLock(file, () => 'free')).toBe('free');
  });
});
