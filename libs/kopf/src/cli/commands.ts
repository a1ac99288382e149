import type { CliCommand } from './cli.command.js';
import { freezeCommand } from './commands/freeze.command.js';
import { resumeCommand } from './commands/resume.command.js';
import { runCommand } from './commands/run.command.js';

/** All commands, in the order in which `kopf --help` lists them. */
export const COMMANDS: readonly CliCommand[] = [runCommand, freezeCommand, resumeCommand];
