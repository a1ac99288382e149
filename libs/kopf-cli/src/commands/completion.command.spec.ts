import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCliBench } from '../cli.bench.spec-support.js';
import { runCommandLine } from '../command.line.js';
import { COMMANDS } from '../commands.js';

async function readScript(shell: string): Promise<string> {
  const bench = createCliBench();
  expect(await runCommandLine(['completion', shell], bench.environment, COMMANDS)).toBe(0);
  return bench.out;
}

/** Asks bash for what it would offer after the words. */
function complete(script: string, words: readonly string[]): readonly string[] {
  const list = words.map((word) => `'${word}'`).join(' ');
  // In the place of the program, one that lists what it was asked for.
  const program = `kopf() { [ "$1" = completion ] && echo "$2-a $2-b"; }\n${script}\nCOMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _kopf; echo "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', program], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.trim().split(' ');
}

describe('kopf completion', () => {
  it.each([
    [
      ['kopf', 're'],
      ['resume', 'release'],
    ],
    [['kopf', 'freeze', '--pr'], ['--priority']],
    [['kopf', 'migrate', 's'], ['status']],
    [['kopf', 'run', '--output', 'j'], ['json']],
    [['kopf', 'completion', 'z'], ['zsh']],
    [
      ['kopf', 'run', '--context', 'c'],
      ['contexts-a', 'contexts-b'],
    ],
    [['kopf', 'explain', '-n', 'namespaces-b'], ['namespaces-b']],
  ])('should complete %j in bash', async (words, expected) => {
    expect(complete(await readScript('bash'), words)).toEqual(expected);
  });

  it('should name all commands and their options in each shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const script = await readScript(shell);
      for (const { name } of COMMANDS) expect(script, `${name} in ${shell}`).toContain(name);
      expect(script).toMatch(shell === 'fish' ? /-l lifetime -d '/ : /--lifetime/);
    }
  });

  it('should list what scripts offer of the kubeconfig', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'completion-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const contexts = [
      { name: 'staging', context: { cluster: 'c', namespace: 'team' } },
      { name: 'kind-dev', context: { cluster: 'c', namespace: 'team' } },
      { name: 'plain', context: { cluster: 'c' } },
    ];
    writeFileSync(join(folder, 'config'), JSON.stringify({ kind: 'Config', contexts }));
    const list = async (what: string, KUBECONFIG: string): Promise<string> => {
      const bench = createCliBench({ variables: { KUBECONFIG } });
      await runCommandLine(['completion', what], bench.environment, COMMANDS);
      return bench.out || bench.err;
    };
    expect(await list('contexts', join(folder, 'config'))).toBe('kind-dev\nplain\nstaging\n');
    expect(await list('namespaces', join(folder, 'config'))).toBe('team\n');
    expect(await list('contexts', join(folder, 'other'))).toContain('No such kubeconfig');
  });

  it('should reject other shells', async () => {
    const bench = createCliBench();
    expect(await runCommandLine(['completion', 'csh'], bench.environment, COMMANDS)).toBe(2);
    expect(bench.err).toContain('Allowed choices are bash, zsh, fish');
  });
});
