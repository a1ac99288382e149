import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const execute = promisify(execFile);

/** The environment of a program that finds neither a cluster nor its settings. */
const NOTHING = { PATH: process.env.PATH, NO_COLOR: '1', KUBECONFIG: '/nonexistent' };

describe('The built applications', () => {
  beforeAll(() => execute(process.execPath, [join(ROOT, 'test/tools/build.mjs')], { cwd: ROOT }));

  it.each(readdirSync(join(ROOT, 'apps')))('should load all of their code: %s', async (name) => {
    const program = join(ROOT, 'dist/apps', name, 'main.js');
    expect(existsSync(program)).toBe(true);
    // What a program does then differs; each of them runs until it is stopped, or says what it needs.
    const { stdout, stderr } = await execute(process.execPath, [program], { env: NOTHING, timeout: 5000 }).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    expect(stdout + stderr).not.toMatch(/TypeError|ReferenceError|SyntaxError|ERR_MODULE_NOT_FOUND/);
    expect(stdout + stderr).not.toBe('');
  });
});
