import { SeededRandom, VirtualClock } from 'nestjs-kopf/testing';
import type { CliEnvironment } from '../../libs/kopf-cli/src/cli.environment.js';
import { runCommandLine } from '../../libs/kopf-cli/src/command.line.js';
import { COMMANDS } from '../../libs/kopf-cli/src/commands.js';
import { listPages } from './support/pages.js';

const guide = listPages().find(({ name }) => name === 'command-line')!.text;

async function readHelp(...args: readonly string[]): Promise<string> {
  let text = '';
  const write = (part: string): void => void (text += part);
  const environment: CliEnvironment = {
    name: 'kopf',
    version: '0.0.0',
    variables: {},
    folder: '/',
    stdout: { write },
    stderr: { write },
    clock: new VirtualClock(),
    random: new SeededRandom(1),
    onSignal: () => () => undefined,
    exit: () => undefined,
  };
  expect(await runCommandLine([...args, '--help'], environment, COMMANDS)).toBe(0);
  return text;
}

describe('the guide of the command line', () => {
  it.each(COMMANDS.map(({ name }) => name))('should show the help of kopf %s', async (name) => {
    const blocks = [...guide.matchAll(new RegExp(`^\`\`\`text kopf ${name} --help\\n([^]*?)^\`\`\`$`, 'gm'))];
    expect(blocks.map(([, text]) => text)).toEqual([await readHelp(name)]);
  });

  it('should list all commands', () => {
    for (const { name } of COMMANDS) expect(guide).toMatch(new RegExp(`^\\| \\[\`${name}`, 'm'));
  });
});
