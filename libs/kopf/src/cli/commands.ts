import type { CliCommand } from './cli.command.js';

/** All commands, in the order in which `kopf --help` lists them. */
export const COMMANDS: readonly CliCommand[] = [];
