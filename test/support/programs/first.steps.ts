import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

/** Runs what `npm start` runs, in an empty folder that has nothing but the manifests, with arguments for the program. To be closed. */
export class FirstSteps {
  readonly folder = mkdtempSync(join(tmpdir(), 'first-steps-'));
  private readonly command: readonly string[];
  private child: ChildProcess | undefined;
  private text = '';

  constructor(...command: readonly string[]) {
    this.command = command;
    symlinkSync(join(ROOT, 'k8s'), join(this.folder, 'k8s'), 'junction');
  }

  /** All that the program has printed. */
  get output(): string {
    return this.text;
  }

  get kubeconfig(): string {
    return join(this.folder, '.embedded-kube/kubeconfig');
  }

  get hasKubeconfig(): boolean {
    return existsSync(this.kubeconfig);
  }

  /** The commands that are printed to be tried, without what is said about them. */
  get commands(): readonly string[] {
    return [...this.text.matchAll(/^ {2}(kubectl .*?)(?: +#.*)?$/gm)].map(([, command]) => command);
  }

  /** Starts the program, and waits until it has printed the text or ended. */
  async start(until: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
    const child = spawn(process.execPath, this.command, { cwd: this.folder, env: { ...process.env, ...env } });
    this.child = child;
    await new Promise<void>((resolve) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (chunk: string) => {
          this.text += chunk;
          if (this.text.includes(until)) resolve();
        });
      }
      child.once('close', () => resolve());
    });
  }

  /** Sends signals, and waits for the end; gives the exit code. */
  async end(...signals: readonly NodeJS.Signals[]): Promise<number | null> {
    const child = this.child!;
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'close') : undefined;
    for (const signal of signals) child.kill(signal);
    await ended;
    return child.exitCode;
  }

  close(): void {
    this.child?.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
