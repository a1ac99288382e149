import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A program that talks to API servers, and that knows nothing of embedded-kube. */
export interface Client {
  readonly name: string;
  /**
   * Gets the program ready.
   *
   * @param isAllowed to download and to compile; without it, only what an earlier run has left in the cache is used
   * @returns how to run it, or why it cannot be run here
   */
  prepare(isAllowed: boolean): Promise<ClientRun | string>;
}

/** Uses the server of a kubeconfig; gives what it has seen, line by line, the same on every server. */
export type ClientRun = (kubeconfig: string) => Promise<readonly string[]>;

const execute = promisify(execFile);
/** For what compiles and prints much. */
const MOST_OUTPUT = 64 * 1024 * 1024;

/** The folder of downloaded and compiled programs, which all checkouts share. */
export function cacheFolder(...names: readonly string[]): string {
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'nestjs-kopf', 'clients', ...names);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Runs a program to its end. @returns what it has printed to its standard output @throws Error if it fails */
export async function output(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: MOST_OUTPUT };
  return (await execute(program, args, options)).stdout;
}

/**
 * Gives the path of a program in the cache.
 *
 * @param make puts it there, if that is allowed and needed
 * @returns undefined if it is not there afterwards
 */
export async function cachedProgram(
  file: string,
  isAllowed: boolean,
  make: (path: string) => Promise<unknown>,
): Promise<string | undefined> {
  const path = join(cacheFolder('bin'), file);
  if (!existsSync(path) && isAllowed) await make(path);
  return existsSync(path) ? path : undefined;
}
