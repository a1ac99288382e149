import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../../..');

const execute = promisify(execFile);

describe('The matrix of versions, in its short form', () => {
  it('should do what the guide says', { timeout: 900_000 }, async () => {
    await execute(
      process.execPath,
      [join(ROOT, 'test/tools/build.mjs'), 'embedded-kube', 'kopf-simulation', 'kopf-cli'],
      { cwd: ROOT },
    );
    const { stdout } = await execute(process.execPath, [join(import.meta.dirname, 'matrix.mjs'), '--short']);
    expect(stdout).toMatch(/^8 combinations, \d+ work, 0 not as expected$/m);
    expect(stdout).toContain('ok: Nest 11, client-node 1, classic, ');
  });
});
