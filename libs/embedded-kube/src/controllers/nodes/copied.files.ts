import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, statSync } from 'node:fs';
import { join, normalize } from 'node:path';
import type { PodCommand, PodProcess } from './pod.command.js';

/**
 * Answers the commands of which `kubectl cp` consists, with a folder of this machine as the root of the container's files: `tar` of this
 * machine reads and writes them.
 *
 * @returns undefined for all other commands
 */
export function copyCommand(folder: string, command: readonly string[]): PodCommand | undefined {
  const [program, ...args] = command;
  if (program === 'test' && args[0] === '-d' && args.length === 2) {
    return { exitCode: isFolder(inside(folder, args[1])) ? 0 : 1 };
  }
  if (program !== 'tar') return undefined;
  if (args[0] === 'cf' && args[1] === '-' && args.length === 3) {
    const path = inside('.', args[2]);
    return (process) => tar(process, ['-cf', '-', '-C', folder, '--', path]);
  }
  if (!args.includes('-xmf') || !args.includes('-')) return undefined;
  const place = args.indexOf('-C');
  const target = inside(folder, place < 0 ? '/' : args[place + 1]);
  return (process) => {
    mkdirSync(target, { recursive: true });
    return tar(process, ['-xmf', '-', '-C', target]);
  };
}

/** Resolves a path of the container, which never leads out of its root. */
function inside(folder: string, path = '/'): string {
  return join(folder, normalize(`/${path}`));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

async function tar(
  { stdin, signal, write, writeError }: PodProcess,
  args: readonly string[],
): Promise<{ exitCode: number }> {
  const child = spawn('tar', args, { signal, stdio: ['pipe', 'pipe', 'pipe'] });
  // The child has ended before all of its input was read, or the client has gone.
  child.stdin.on('error', () => undefined);
  stdin.pipe(child.stdin);
  child.stdout.on('data', (chunk: Buffer) => write(chunk));
  child.stderr.on('data', (chunk: Buffer) => writeError(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { exitCode: code ?? 1 };
}
