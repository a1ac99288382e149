#!/usr/bin/env node
// The program `kopf`, which is `kubectl kopf` as well: it runs operators, and looks after them and after those of Kopf. This file gives
// the process to the commands, so that they run without one in tests; command.line.ts reads the arguments, and each command is a file in
// commands/.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';
import { errorStack, SystemClock, SystemRandom } from 'kube-common';
import { openBrowser } from './console/browser.js';
import { createKeyboard, createParent, startChildProgram } from './child.program.js';
import type { CliEnvironment } from './cli.environment.js';
import { runCommandLine } from './command.line.js';
import { COMMANDS } from './commands.js';
import { DEV_OPERATOR } from './dev/dev.options.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The version of the package; the path is the same from the source and from the compiled program. */
function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

const environment: CliEnvironment = {
  name: /^kubectl-kopf\b/.test(basename(process.argv[1] ?? '')) ? 'kubectl kopf' : 'kopf',
  version: readVersion(),
  library: dirname(createRequire(import.meta.url).resolve('nestjs-kopf/package.json')),
  typescriptHooks: new URL('./typescript.thread.js', import.meta.url).href,
  watchHooks: new URL('./watching.thread.js', import.meta.url).href,
  keyboard: createKeyboard(process.stdin),
  startChild: (options) => startChildProgram(process.argv[1], options),
  parent: createParent(process),
  openBrowser,
  variables: process.env,
  folder: process.cwd(),
  stdout: process.stdout,
  stderr: process.stderr,
  clock: new SystemClock(),
  random: new SystemRandom(),
  onSignal: (listener) => {
    for (const signal of SIGNALS) process.on(signal, listener);
    return () => {
      for (const signal of SIGNALS) process.off(signal, listener);
    };
  },
  exit: (code) => process.exit(code),
};

// As in `kopf explain … | head`, or when the terminal of `kopf run` has gone: a missing reader is no reason to fail.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

void run(process.argv.slice(2))
  .catch((error: unknown) => {
    process.stderr.write(`${errorStack(error)}\n`);
    return 1;
  })
  .then(exit);

async function run(args: readonly string[]): Promise<number> {
  if (args[0] !== DEV_OPERATOR) return runCommandLine(args, environment, COMMANDS);
  const { runDevOperator } = await import('./dev/dev.operator.js');
  return runDevOperator(args[1], environment);
}

/** Ends the process when all is written, though a handler of the user that never returns may still wait for something. */
function exit(code: number): void {
  process.exitCode = code;
  process.stdout.write('', () => process.stderr.write('', () => process.exit()));
}
