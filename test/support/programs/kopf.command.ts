import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import { SystemClock, type ConnectionInfo } from 'nestjs-kopf';
import type { CliEnvironment } from '../../../libs/kopf-cli/src/cli.environment.js';
import { runCommandLine } from '../../../libs/kopf-cli/src/command.line.js';
import { COMMANDS } from '../../../libs/kopf-cli/src/commands.js';
import { SystemRandom } from 'kube-common';

/** Everything that a command has left. */
export interface CommandOutcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A command that is still running. */
export interface RunningCommand {
  readonly outcome: Promise<CommandOutcome>;
  readonly out: string;
  readonly err: string;
  signal(name: NodeJS.Signals): void;
}

/** The commands of `kopf` in this process, for one cluster, in real time. */
export class KopfCommand {
  /** The folder of the commands: relative paths are relative to it. */
  readonly folder = mkdtempSync(join(tmpdir(), 'kopf-command-'));
  readonly kubeconfig = join(this.folder, 'kubeconfig');

  constructor(credentials: ConnectionInfo) {
    writeFileSync(this.kubeconfig, createKubeconfig(credentials));
  }

  /** Writes a file into the folder of the commands. */
  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  /** Runs a command to its end. */
  run(...args: readonly string[]): Promise<CommandOutcome> {
    return this.start(args).outcome;
  }

  /** Runs a command, and reads the data that it prints. */
  async read<T = any>(...args: readonly string[]): Promise<T> {
    const { out, err } = await this.run(...args, '--output', 'json');
    if (!out) throw new Error(`${args.join(' ')} has printed nothing: ${err}`);
    return JSON.parse(out) as T;
  }

  start(args: readonly string[], variables: Readonly<Record<string, string>> = {}): RunningCommand {
    const listeners = new Set<(signal: NodeJS.Signals) => void>();
    const printed = { out: '', err: '' };
    const environment: CliEnvironment = {
      name: 'kopf',
      version: '0.0.0',
      variables: { KUBECONFIG: this.kubeconfig, ...variables },
      folder: this.folder,
      stdout: { write: (text) => (printed.out += text) },
      stderr: { write: (text) => (printed.err += text) },
      clock: new SystemClock(),
      random: new SystemRandom(),
      onSignal: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      exit: () => undefined,
    };
    const outcome = runCommandLine(args, environment, COMMANDS).then((code) => ({ code, ...printed }));
    const signal = (name: NodeJS.Signals): void => listeners.forEach((listener) => listener(name));
    return Object.defineProperties({ outcome, signal } as RunningCommand, {
      out: { get: () => printed.out },
      err: { get: () => printed.err },
    });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Makes the text of a kubeconfig whose only context is `test`. */
export function createKubeconfig({ server, caData, caPath, token }: ConnectionInfo): string {
  const authority = caPath
    ? { 'certificate-authority': caPath }
    : { 'certificate-authority-data': Buffer.from(caData ?? '').toString('base64') };
  return dump({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    clusters: [{ name: 'test', cluster: { server, ...authority } }],
    users: [{ name: 'test', user: { token } }],
  });
}
