import type { CliCommand } from './cli.command.js';

/** All commands, in the order in which `kopf --help` lists them. */
export const COMMANDS: readonly CliCommand[] = [
  {
    name: 'run',
    summary: 'Run an operator until it is stopped.',
    load: async () => (await import('./commands/run.command.js')).runCommand,
  },
  {
    name: 'dev',
    summary: 'Run an operator while it is developed: on its own API server, and again with each change.',
    load: async () => (await import('./commands/dev.command.js')).devCommand,
  },
  {
    name: 'console',
    summary: 'Show in the browser what operators do with objects, those of Kopf in Python, too.',
    load: async () => (await import('./commands/console.command.js')).consoleCommand,
  },
  {
    name: 'freeze',
    summary: 'Pause the operators of a peering, those of Kopf in Python, too.',
    load: async () => (await import('./commands/freeze.command.js')).freezeCommand,
  },
  {
    name: 'resume',
    summary: 'Resume the operators of a peering that were paused by freeze.',
    load: async () => (await import('./commands/resume.command.js')).resumeCommand,
  },
  {
    name: 'explain',
    summary: 'Explain how operators handle an object: what waits, until when, and why.',
    load: async () => (await import('./commands/explain.command.js')).explainCommand,
  },
  {
    name: 'release',
    summary: 'Take finalizers and state of operators off objects; without --yes, only show them.',
    load: async () => (await import('./commands/release.command.js')).releaseCommand,
  },
  {
    name: 'migrate',
    summary: 'Show which objects an operator leaves behind for its successor, in Python or here.',
    load: async () => (await import('./commands/migrate.command.js')).migrateCommand,
  },
  {
    name: 'manifests',
    summary: 'Generate RBAC rules, deployments, charts, and bundles of an operator.',
    load: async () => (await import('./commands/manifests.command.js')).manifestsCommand,
  },
  {
    name: 'verify',
    summary: 'Compare what an operator needs with what it is allowed to do, and with what it has used.',
    load: async () => (await import('./commands/verify.command.js')).verifyCommand,
  },
  {
    name: 'simulate',
    summary: 'Test an operator under crashes, late events, and lost answers.',
    load: async () => (await import('./commands/simulate.command.js')).simulateCommand,
  },
  {
    name: 'completion',
    summary: 'Print a script that completes commands and options in a shell.',
    load: async () => (await import('./commands/completion.command.js')).completionCommand,
  },
];
