import type { Command } from 'commander';
import type { CliEnvironment } from './cli.environment.js';
import type { CommandResult } from './command.output.js';

/** One command of `kopf` in the list of all of them, `commands.ts`. */
export interface CliCommand {
  readonly name: string;
  /** One sentence for `kopf --help`. */
  readonly summary: string;
  /** Loads the code of the command, which a command line needs for one of them only. */
  load(): Promise<CommandDefinition>;
}

/** The options of a command, and its work. */
export interface CommandDefinition {
  /**
   * Adds the description, the arguments, and the options. The option `-o`, `--output` is there already.
   *
   * @param command the command of commander.
   */
  configure(command: Command): void;
  /**
   * Runs the command.
   *
   * @param args the values of the arguments, in the order of their declaration; the last one is a list if it takes several.
   * @param options the values of the options by their names in camelCase.
   * @param loadProgram resolves with all commands and their options.
   * @returns what is to be printed, or nothing if the command has written everything itself.
   * @throws UsageError if the command line is wrong.
   */
  run(
    args: readonly any[],
    options: any,
    environment: CliEnvironment,
    loadProgram: () => Promise<Command>,
  ): Promise<CommandResult | void>;
}
