import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMANDS } from '../../../libs/kopf-cli/src/commands.js';

const ROOT = join(import.meta.dirname, '../../..');

describe('npx nestjs-kopf', () => {
  let folder: string;

  // Where there is nothing but the program: it has no dependencies.
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'nestjs-kopf-'));
    copyFileSync(join(ROOT, 'libs/kopf/bin/nestjs-kopf.js'), join(folder, 'nestjs-kopf.mjs'));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function run(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
    return spawnSync(process.execPath, [join(folder, 'nestjs-kopf.mjs'), ...args], { encoding: 'utf8' });
  }

  it('should list the packages of all commands', () => {
    const { status, stdout } = run();
    expect(status).toBe(0);
    const listed = [...stdout.matchAll(/^ {2}(\w+) +nestjs-kopf-cli/gm)].map(([, name]) => name);
    expect(listed).toEqual(COMMANDS.map(({ name }) => name));
  });

  it.each([
    ['dev', 'npm install --save-dev nestjs-kopf-cli embedded-kube\n'],
    ['simulate', 'npm install --save-dev nestjs-kopf-cli nestjs-kopf-simulation\n'],
    ['manifests', 'npm install --save-dev nestjs-kopf-cli\n'],
  ])('should say what to install for %s', (command, install) => {
    const { status, stderr } = run(command, 'src/app.module.ts');
    expect(status).toBe(1);
    expect(stderr).toContain(`The command '${command}' needs:\n\n  ${install}`);
    expect(stderr).toContain(`npx -p nestjs-kopf-cli kopf ${command} …`);
  });

  it('should say that there is no such command', () => {
    const { status, stderr } = run('deploy');
    expect(status).toBe(2);
    expect(stderr).toContain("There is no command 'deploy'.");
  });
});

describe('the commands that pages and messages show', () => {
  const files = execFileSync('git', ['ls-files', '*.md', 'libs/**/*.ts', 'libs/**/*.js'], {
    cwd: ROOT,
    encoding: 'utf8',
  });

  it('should never download a package of strangers', () => {
    const wrong = files
      .trim()
      .split('\n')
      .flatMap((file) =>
        readFileSync(join(ROOT, file), 'utf8')
          .split('\n')
          .map((line) => `${file}: ${line}`),
      )
      // The guide of the command line says why not.
      .filter((line) => !line.includes('`npx kopf` without it'))
      .filter((line) => /\b(npx|npm exec)( -\S+)* (kopf|kubectl-kopf)\b/.test(line));
    expect(wrong).toEqual([]);
  });
});
