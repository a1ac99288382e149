import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

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
    } finally {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('should name only scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    const named = [...README.matchAll(/npm (?:run )?([a-z:]+)/g)]
      .map(([, name]) => name)
      .filter((name) => name !== 'ci');
    for (const name of named) expect(scripts).toHaveProperty([name]);
    expect(named.length).toBeGreaterThan(5);
  });
});
