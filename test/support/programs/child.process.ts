import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The time limit for a process to end after it was asked to, in milliseconds. */
const STOPPING = 10_000;

/** A process that a test starts, and whose output it keeps to be shown if the test fails. */
export class TestProcess {
  private readonly child: ChildProcess;
  private text = '';

  constructor(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}, cwd?: string) {
    this.child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env }, cwd });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => (this.text += chunk));
    }
    this.child.on('error', (error) => (this.text += String(error)));
  }

  /** All that it has printed so far. */
  get output(): string {
    return this.text;
  }

  /** `undefined` if it could not be started. */
  get pid(): number | undefined {
    return this.child.pid;
  }

  /** The code with which it has ended; `null` while it runs, and after a signal that it did not handle. */
  get exitCode(): number | null {
    return this.child.exitCode;
  }

  get running(): boolean {
    return this.child.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** @throws Error with the end of the output if the process has ended. */
  check(): void {
    if (!this.running) throw new Error(`The process has ended:\n${this.text.slice(-4000)}`);
  }

  /** Stops the process where it is, as a machine does that is out of breath: it ends nothing, and does not know of it. */
  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  /** Lets a stopped process go on. */
  thaw(): void {
    this.child.kill('SIGCONT');
  }

  /** Ends the process at once, as a crash does. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  /** Asks the process to stop; one that does not is killed, and that is an error. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOPPING);
    await this.end('SIGTERM');
    clearTimeout(timer);
    if (this.child.signalCode === 'SIGKILL') throw new Error(`The process did not stop:\n${this.text.slice(-4000)}`);
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    if (!this.running) return;
    const exited = once(this.child, 'exit');
    this.child.kill(signal);
    await exited;
  }
}
