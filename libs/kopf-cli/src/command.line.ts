import { Command, CommanderError, Option } from 'commander';
import { errorText } from 'kube-common';
import type { CliCommand } from './cli.command.js';
import type { CliEnvironment } from './cli.environment.js';
import { colorsFor } from './colors.js';
import { OUTPUT_FORMATS, writeResult, type CommandResult, type OutputFormat } from './command.output.js';
import { applyVariables } from './option.kinds.js';
import { EXIT_CODES, type ExitCode, UsageError } from './exit.codes.js';

/**
 * Runs one command line. Errors are printed to the standard error, never thrown.
 *
 * @param args the arguments without the program: `['freeze', '--peering=default']`.
 * @returns the exit code.
 */
export async function runCommandLine(
  args: readonly string[],
  environment: CliEnvironment,
  commands: readonly CliCommand[],
): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT_CODES.good;
  try {
    const program = await createProgram(environment, commands, {
      isLoaded: ({ name }) => args.includes(name),
      onResult: (result) => {
        exitCode = result?.exitCode ?? EXIT_CODES.good;
      },
    });
    await program.parseAsync(args.length > 0 ? args : ['--help'], { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has printed the text already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.good : EXIT_CODES.usage;
    return reportError(error, environment);
  }
}

/** Prints an error for the user of the program. @returns the exit code for it */
export function reportError(error: unknown, { stderr, name, variables }: CliEnvironment): ExitCode {
  stderr.write(`${colorsFor(stderr, { variables }).red(`${name}:`)} ${errorText(error)}\n`);
  if (!(error instanceof UsageError)) return EXIT_CODES.failed;
  stderr.write(`${hintOf(name)}\n`);
  return EXIT_CODES.usage;
}

/** The options of the parser of command lines. */
interface ProgramOptions {
  /** Whether a command is loaded with its options; others are only listed. @default all */
  readonly isLoaded?: (command: CliCommand) => boolean;
  /** Receives what the command returns that is run. */
  readonly onResult?: (result: CommandResult | void) => void;
}

/** Creates the parser with all commands, for running them, for their help, and for completion. */
async function createProgram(
  environment: CliEnvironment,
  commands: readonly CliCommand[],
  { isLoaded = () => true, onResult }: ProgramOptions = {},
): Promise<Command> {
  const { name, version, stdout, stderr } = environment;
  const program = new Command(name)
    .description('Runs operators of nestjs-kopf, and looks after them and after those of Kopf.')
    .version(version)
    .helpCommand('help [command]', 'Show the help of a command.')
    .helpOption('-h, --help', 'Show this help.')
    .exitOverride()
    .showHelpAfterError(hintOf(name))
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      // The same text on every terminal: it is in the guide.
      getOutHelpWidth: () => 120,
      getErrHelpWidth: () => 120,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  for (const each of commands) {
    const command = program.command(each.name).summary(each.summary).description(each.summary);
    command.helpOption('-h, --help', 'Show this help.');
    if (!isLoaded(each)) continue;
    const definition = await each.load();
    definition.configure(command);
    command.addOption(createOutputOption());
    command.action(async (...values: unknown[]) => {
      applyVariables(command, environment);
      const options = command.opts<{ output: OutputFormat }>();
      const loadProgram = (): Promise<Command> => createProgram(environment, commands);
      const result = await definition.run(values.slice(0, -2), options, environment, loadProgram);
      if (result) writeResult(result, options.output, environment);
      onResult?.(result);
    });
  }
  return program;
}

function hintOf(name: string): string {
  return `Try '${name} --help', or '${name} COMMAND --help'.`;
}

function createOutputOption(): Option {
  return new Option('-o, --output <format>', 'The format of the result.').choices(OUTPUT_FORMATS).default('text');
}
