import type { CliCommand, CommandDefinition } from './cli.command.js';
import { runCommandLine } from './command.line.js';
import { CommandError, UsageError } from './exit.codes.js';
import { createCliBench } from './cli.bench.spec-support.js';

function createCommand(run: CommandDefinition['run']): CliCommand {
  const configure: CommandDefinition['configure'] = (command) =>
    void command.argument('[names...]').option('--times <n>', 'The number of times.');
  return { name: 'try', summary: 'Try it.', load: async () => ({ configure, run }) };
}

const ECHO = createCommand(async (args, options) => ({
  data: { args, times: options.times },
  text: ({ red }) => red(`${args[0].join()} ${options.times}`),
}));

describe('runCommandLine', () => {
  it('should give arguments and options to the command, and print what people read', async () => {
    const bench = createCliBench();
    expect(await runCommandLine(['try', 'a', 'b', '--times=2'], bench.environment, [ECHO])).toBe(0);
    expect(bench.out).toBe('a,b 2\n');
  });

  it.each([
    ['json', '{\n  "args": [\n    [\n      "a"\n    ]\n  ]\n}\n'],
    ['yaml', 'args:\n  - - a\n'],
  ])('should print %s', async (format, expected) => {
    const bench = createCliBench();
    expect(await runCommandLine(['try', 'a', '-o', format], bench.environment, [ECHO])).toBe(0);
    expect(bench.out).toBe(expected);
  });

  it.each([
    ['a terminal', true, {}, '\u001B[31ma undefined\u001B[39m\n'],
    ['a terminal without colours', true, { NO_COLOR: '1' }, 'a undefined\n'],
    ['a terminal that has none', true, { TERM: 'dumb' }, 'a undefined\n'],
    ['a file', false, {}, 'a undefined\n'],
  ])('should use colours as %s has them', async (_what, isTTY, variables, expected) => {
    const bench = createCliBench({ isTTY, variables });
    await runCommandLine(['try', 'a'], bench.environment, [ECHO]);
    expect(bench.out).toBe(expected);
  });

  it('should load the commands that the line names, and no others', async () => {
    const loaded: string[] = [];
    const commands = ['try', 'other'].map((name) => ({
      ...ECHO,
      name,
      load: () => {
        loaded.push(name);
        return ECHO.load();
      },
    }));
    const bench = createCliBench();
    expect(await runCommandLine(['--help'], bench.environment, commands)).toBe(0);
    expect(bench.out).toMatch(/^ +other .*Try it\.$/m);
    expect(loaded).toEqual([]);
    expect(await runCommandLine(['other', 'a'], bench.environment, commands)).toBe(0);
    expect(await runCommandLine(['help', 'try'], bench.environment, commands)).toBe(0);
    expect(loaded).toEqual(['other', 'try']);
  });

  it('should end with the code of the result', async () => {
    const found = createCommand(async () => ({ data: {}, text: 'found', exitCode: 1 }));
    expect(await runCommandLine(['try'], createCliBench().environment, [found])).toBe(1);
  });

  it.each([
    ['1 for what cannot be done', new CommandError('No such object.'), 1],
    ['2 for wrong usage', new UsageError('Not both.'), 2],
    ['1 for anything else', new TypeError('Oh.'), 1],
  ])('should end with %s', async (_what, error, code) => {
    const bench = createCliBench();
    const failing = createCommand(() => Promise.reject(error));
    expect(await runCommandLine(['try'], bench.environment, [failing])).toBe(code);
    expect(bench).toMatchObject({ out: '', err: expect.stringContaining(`kopf: `) });
    expect(bench.err).toContain(error.message);
  });

  it.each([
    ['an unknown command', ['fly'], /unknown command 'fly'/],
    ['an unknown option', ['try', '--wings'], /unknown option '--wings'/],
    ['an unknown format', ['try', '-o', 'xml'], /'xml' is invalid. Allowed choices are text, json, yaml/],
    ['a missing value', ['try', '--times'], /argument missing/],
  ])('should reject %s with the code 2', async (_what, args, message) => {
    const bench = createCliBench();
    expect(await runCommandLine(args, bench.environment, [ECHO])).toBe(2);
    expect(bench.err).toMatch(message);
    expect(bench.err).toContain("Try 'kopf --help'");
    expect(bench.out).toBe('');
  });

  it.each([
    ['--help', ['--help'], /^Usage: kopf [^]*try .*Try it\./],
    ['nothing at all', [], /^Usage: kopf /],
    ['help', ['help', 'try'], /^Usage: kopf try [^]*--times/],
    ['--help of a command', ['try', '--help'], /^Usage: kopf try [^]*--output/],
    ['--version', ['--version'], /^1\.2\.3\n$/],
  ])('should answer %s', async (_what, args, expected) => {
    const bench = createCliBench();
    expect(await runCommandLine(args, bench.environment, [ECHO])).toBe(0);
    expect(bench.out).toMatch(expected);
  });
});
