import { SeededRandom } from 'kube-common';
import { VirtualClock } from 'nestjs-kopf/testing';
import type { CliEnvironment } from './cli.environment.js';

/** An environment of commands that keeps what they print. */
export interface CliBench {
  readonly environment: CliEnvironment;
  readonly clock: VirtualClock;
  /** Everything that was written to the standard output. */
  readonly out: string;
  /** Everything that was written to the standard error. */
  readonly err: string;
  /** The code with which the command has ended its process at once. */
  readonly exitCode: number | undefined;
  signal(name: NodeJS.Signals): void;
}

/** Makes an environment for commands without a process; the time is virtual. */
export function createCliBench(options: { isTTY?: boolean } & Partial<CliEnvironment> = {}): CliBench {
  const { isTTY = false, ...rest } = options;
  const listeners = new Set<(signal: NodeJS.Signals) => void>();
  const clock = new VirtualClock();
  const bench = { out: '', err: '', exitCode: undefined as number | undefined };
  const environment: CliEnvironment = {
    name: 'kopf',
    version: '1.2.3',
    variables: {},
    folder: '/',
    stdout: { isTTY, write: (text) => (bench.out += text) },
    stderr: { isTTY, write: (text) => (bench.err += text) },
    clock,
    random: new SeededRandom(1),
    onSignal: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    exit: (code) => (bench.exitCode = code),
    ...rest,
  };
  return Object.assign(bench, {
    environment,
    clock,
    signal: (name: NodeJS.Signals) => listeners.forEach((listener) => listener(name)),
  });
}
