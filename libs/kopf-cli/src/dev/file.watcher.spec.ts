import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from 'kube-common';
import { FileWatcher } from './file.watcher.js';

describe('FileWatcher', () => {
  const folder = mkdtempSync(join(tmpdir(), 'watcher-'));
  const path = (name: string): string => join(folder, name);
  const write = (name: string, text: string): void => writeFileSync(path(name), text);
  let takesAny = false;
  let next: (files: readonly string[]) => void = () => undefined;
  const watcher = new FileWatcher(
    new SystemClock(),
    (files) => next(files),
    () => takesAny,
  );
  const changed = (): Promise<readonly string[]> => new Promise((resolve) => (next = resolve));

  beforeAll(() => {
    write('a.ts', '1');
    write('b.ts', '1');
    watcher.watch([path('a.ts'), path('missing.ts'), '/none/none.ts']);
  });

  afterAll(() => {
    watcher.close();
    rmSync(folder, { recursive: true });
  });

  it('should report several changes at once, and no other files', async () => {
    const change = changed();
    write('b.ts', '22');
    write('c.ts', '1');
    write('a.ts', '22');
    write('missing.ts', '1');
    expect([...(await change)].sort()).toEqual([path('a.ts'), path('missing.ts')]);
  });

  it('should notice a file that an editor has put in the place of another', async () => {
    const change = changed();
    write('a.ts~', '333');
    renameSync(path('a.ts~'), path('a.ts'));
    expect(await change).toEqual([path('a.ts')]);
  });

  it('should take unknown sources where one of them can be what is missing', async () => {
    takesAny = true;
    const change = changed();
    write('notes.txt', '1');
    write('d.ts', '1');
    expect(await change).toEqual([path('d.ts')]);
  });
});
