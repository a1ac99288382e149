import { fork } from 'node:child_process';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import type { ChildProgram, ChildProgramOptions, CliKeyboard, ParentProgram } from './cli.environment.js';

/** The debugger of this process has its port already. */
const NOT_INHERITED = /^--inspect/;

/** Starts a program in another process of Node.js, with which this one exchanges messages. */
export function startChildProgram(
  program: string,
  { args, nodeOptions, variables, onMessage, onLine }: ChildProgramOptions,
): ChildProgram {
  const inherited = process.execArgv.filter((option) => !NOT_INHERITED.test(option));
  const child = fork(program, args, {
    env: variables as NodeJS.ProcessEnv,
    execArgv: [...inherited, ...nodeOptions],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  createInterface({ input: child.stdout! }).on('line', (line) => onLine(line, false));
  createInterface({ input: child.stderr! }).on('line', (line) => onLine(line, true));
  child.on('message', onMessage);
  const ended = new Promise<number>((resolve) => {
    child.once('error', (error) => {
      onLine(String(error), true);
      resolve(1);
    });
    child.once('close', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
  return {
    pid: child.pid,
    ended,
    // A process that has just ended hears nothing, and that is no error.
    send: (message) => void (child.connected && child.send(message, () => undefined)),
    kill: () => void child.kill('SIGKILL'),
  };
}

/** Makes the other end of the messages, in a process that {@link startChildProgram} has started. */
export function createParent(own: NodeJS.Process): ParentProgram | undefined {
  if (!own.send) return undefined;
  return {
    send: (message) => void (own.connected && own.send!(message)),
    onMessage(listener) {
      const onDisconnect = (): void => listener(undefined);
      own.on('message', listener).on('disconnect', onDisconnect);
      return () => void own.off('message', listener).off('disconnect', onDisconnect);
    },
  };
}

/** Makes the keyboard of a terminal; there is none if the standard input is something else. */
export function createKeyboard(stdin: NodeJS.ReadStream): CliKeyboard | undefined {
  if (!stdin.isTTY) return undefined;
  return {
    onKey(listener) {
      const onData = (data: Buffer): void => [...data.toString()].forEach((key) => listener(key));
      stdin.setRawMode(true).on('data', onData).resume();
      return () => void stdin.off('data', onData).setRawMode(false).pause();
    },
  };
}
