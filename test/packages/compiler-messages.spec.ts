import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findUnclear, PROGRAM } from './matrix/slips.mjs';

const ROOT = join(import.meta.dirname, '../..');

/** Ends a compilation that hangs, in milliseconds. */
const COMPILATION_TIMEOUT = 600_000;

/** What the compiler prints for a program in a project of the workspace's settings. */
function compile(compiler: string, program: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'kopf-slips-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'slips.ts'), program);
  const options = { noEmit: true, types: ['node'], incremental: false };
  const config = { extends: join(ROOT, 'tsconfig.json'), include: [], files: ['slips.ts'], compilerOptions: options };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const args = [join(ROOT, 'node_modules', compiler, 'bin/tsc'), '--pretty', 'false'];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 24 }, (_, stdout) => resolve(stdout));
  });
}

// All versions of the compiler are tried by test/packages/matrix/typescript.mjs.
describe.each(['typescript', 'typescript7'])('The messages of the compiler %s', (compiler) => {
  it(
    'should name the option, the resource, or the context that is wrong',
    { timeout: COMPILATION_TIMEOUT },
    async () => {
      expect(findUnclear(await compile(compiler, PROGRAM))).toEqual([]);
    },
  );
});
