import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { baseOf, PageFiles } from './page.files.js';

async function build(): Promise<PageFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'console-page-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), '<script src="{{base}}assets/page-1.js"></script><a href="{{base}}">');
  await writeFile(join(folder, 'assets/page-1.js'), 'let a;');
  await writeFile(join(folder, 'assets/notes.txt'), 'private');
  return new PageFiles(folder);
}

describe('The files of the page', () => {
  it('should be scripts and styles by their names', async () => {
    const files = await build();
    expect(await files.asset('page-1.js')).toEqual({
      content: Buffer.from('let a;'),
      type: 'text/javascript; charset=utf-8',
    });
    for (const name of ['none.js', '../index.html', 'notes.txt', '.js', '..', '', 'a/b.js', 'page-1.js\0']) {
      expect(await files.asset(name), name).toBeUndefined();
    }
  });

  it('should be found from each address of the page', async () => {
    const files = await build();
    expect(await files.index('../../')).toBe('<script src="../../assets/page-1.js"></script><a href="../../">');
    expect(await files.index('"><script>')).not.toContain('"><script>');
  });

  it('should be missing before they are built', async () => {
    expect(await new PageFiles('/nowhere').index('./')).toBeUndefined();
  });
});

describe('The way from an address to the path of the console', () => {
  it.each([
    ['/', './'],
    ['/objects', './'],
    ['/objects/', '../'],
    ['/objects/pods/ns/a', '../../../'],
  ])('should lead there from kopf%s: %s', (path, base) => {
    expect(baseOf(path)).toBe(base);
    for (const prefix of ['/', '/a/b/']) {
      expect(new URL(base, `http://host${prefix}kopf${path}`).pathname).toBe(`${prefix}kopf/`);
    }
  });
});
