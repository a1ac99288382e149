import { InvalidArgumentError, Option, type Command } from 'commander';
import type { CliEnvironment } from './cli.environment.js';
import { UsageError } from './exit.codes.js';

/** An option that can be given several times; its value is the list. */
export class RepeatableOption extends Option {
  constructor(flags: string, description: string) {
    super(flags, `${description} Can be repeated.`);
    this.argParser((value: string, previous: readonly string[] | undefined) => [...(previous ?? []), value]);
  }
}

/** An option whose value is a whole number, by default 0 or more. */
export class IntegerOption extends Option {
  constructor(flags: string, description: string, minimum = 0) {
    super(flags, description);
    this.argParser((value: string) => {
      if (/^-?\d+$/.test(value) && Number(value) >= minimum && Number.isSafeInteger(Number(value)))
        return Number(value);
      const limit = Number.isFinite(minimum) ? `, at least ${minimum}` : '';
      throw new InvalidArgumentError(`It must be a whole number${limit}.`);
    });
  }
}

/** The names that Kopf gives to some options in the environment; it accepts both. */
const KOPF_NAMES: Readonly<Record<string, string>> = {
  namespace: 'namespaces',
  'all-namespaces': 'clusterwide',
  liveness: 'liveness-endpoint',
  module: 'modules',
};

/**
 * Explains {@link applyVariables} in the help of a command.
 *
 * @param example one of its options.
 */
export function describeVariables(command: string, example = 'log-format'): string {
  return `\nEach option can also be given in the environment, --${example} for example as ${variableOf(command, example)}.`;
}

/**
 * Takes options that are not on the command line from the environment, as Kopf does: `--log-format` of `kopf run` from
 * `KOPF_RUN_LOG_FORMAT`. Lists are separated by white space.
 *
 * @throws UsageError if a value is wrong.
 */
export function applyVariables(command: Command, { variables }: Pick<CliEnvironment, 'variables'>): void {
  for (const option of command.options) {
    const key = option.attributeName();
    const source = command.getOptionValueSource(key);
    if (source !== undefined && source !== 'default') continue;
    const names = [option.name(), KOPF_NAMES[option.name()]].filter((name) => name !== undefined);
    const name = names.map((each) => variableOf(command.name(), each)).find((each) => variables[each]);
    const text = name && variables[name];
    if (!name || !text) continue;
    command.setOptionValueWithSource(key, parseVariable(name, text, option), 'env');
  }
}

function variableOf(command: string, option: string): string {
  return `KOPF_${command}_${option}`.toUpperCase().replaceAll('-', '_');
}

const TRUE = ['1', 'true', 't', 'yes', 'y', 'on'];
const FALSE = ['0', 'false', 'f', 'no', 'n', 'off'];

function parseVariable(name: string, text: string, option: Option): unknown {
  if (option instanceof RepeatableOption) return text.trim().split(/\s+/);
  if (option.isBoolean()) {
    const word = text.trim().toLowerCase();
    const value = TRUE.includes(word);
    if (!value && !FALSE.includes(word))
      throw new UsageError(`${name} must be true or false, not ${JSON.stringify(text)}.`);
    return option.negate ? !value : value;
  }
  try {
    return option.parseArg ? option.parseArg(text, undefined) : text;
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new UsageError(`${name} is wrong: ${JSON.stringify(text)}. ${error.message}`);
  }
}

/** @throws UsageError if an option was neither given nor in the environment. */
export function requireOption<T>(value: T | undefined, flags: string): T {
  if (value === undefined) throw new UsageError(`The option ${flags} is missing.`);
  return value;
}
