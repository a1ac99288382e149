import type { CliCommand } from './cli.command.js';
import { completionCommand } from './commands/completion.command.js';
import { consoleCommand } from './commands/console.command.js';
import { devCommand } from './commands/dev.command.js';
import { explainCommand } from './commands/explain.command.js';
import { freezeCommand } from './commands/freeze.command.js';
import { manifestsCommand } from './commands/manifests.command.js';
import { migrateCommand } from './commands/migrate.command.js';
import { releaseCommand } from './commands/release.command.js';
import { resumeCommand } from './commands/resume.command.js';
import { runCommand } from './commands/run.command.js';
import { simulateCommand } from './commands/simulate.command.js';
import { verifyCommand } from './commands/verify.command.js';

/** All commands, in the order in which `kopf --help` lists them. */
export const COMMANDS: readonly CliCommand[] = [
  runCommand,
  devCommand,
  consoleCommand,
  freezeCommand,
  resumeCommand,
  explainCommand,
  releaseCommand,
  migrateCommand,
  manifestsCommand,
  verifyCommand,
  simulateCommand,
  completionCommand,
];
