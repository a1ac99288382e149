import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const CONTRIBUTING = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
/** What npm itself does: all other words after `npm` are scripts. */
const NPM_COMMANDS = ['ci', 'install', 'version', 'publish'];

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };

function scriptsIn(text: string): readonly string[] {
  const named = [...text.matchAll(/npm (?:run )?([a-z:]+)/g)].map(([, name]) => name);
  return named.filter((name) => !NPM_COMMANDS.includes(name));
}

describe('the README', () => {
  it('should have an operator that runs when pasted', async () => {
    const [, program] = /```ts\n(.*?)```/s.exec(README) ?? [];
    const folder = mkdtempSync(join(tmpdir(), 'kopf-readme-'));
    writeFileSync(join(folder, 'first.ts'), program);
    const child = spawn(process.execPath, [join(ROOT, 'test/tools/run-operator.mjs'), join(folder, 'first.ts')]);
    try {
      const output = await new Promise<string>((resolve, reject) => {
        let text = '';
        const take = (chunk: Buffer): void => {
          text += chunk.toString();
          if (text.includes('Creation is processed')) resolve(text);
        };
        child.stdout.on('data', take);
        child.stderr.on('data', take);
        child.on('exit', () => reject(new Error(`It ended too early:\n${text}`)));
      });
      expect(output).toContain('Hello, world of default!');
      expect(output).toContain('first.ts is running, until you stop it by Ctrl-C.');
    } finally {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.each(['README.md', 'CONTRIBUTING.md'])('should name only scripts that exist: %s', (file) => {
    const named = scriptsIn(readFileSync(join(ROOT, file), 'utf8'));
    for (const name of named) expect(scripts).toHaveProperty([name]);
    expect(named.length).toBeGreaterThan(2);
  });

  it('should leave all scripts for contributors to CONTRIBUTING.md', () => {
    const missing = scriptsIn(README).filter((name) => !scriptsIn(CONTRIBUTING).includes(name));
    // Those are ways to try the library.
    expect(missing.filter((name) => !['operator', 'inventory'].includes(name))).toEqual([]);
    expect(scriptsIn(CONTRIBUTING).length).toBeGreaterThan(20);
  });

  it('should be one screen of text, and an operator of 20 lines', () => {
    const [, program] = /```ts\n(.*?)```/s.exec(README) ?? [];
    expect(program.split('\n').filter(Boolean).length).toBeLessThanOrEqual(20);
    expect(README.split('\n').length).toBeLessThan(100);
  });
});
