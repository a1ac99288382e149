import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';

/** How long a command may take, in milliseconds. */
const LONGEST_COMMAND = 60_000;

/** One run of kubectl. */
export class KubectlProcess {
  private readonly child: ChildProcessWithoutNullStreams;
  private text = '';

  constructor(
    path: string,
    command: readonly string[],
    options: { readonly cwd?: string; readonly env: Readonly<Record<string, string | undefined>> },
  ) {
    this.child = spawn(path, command, options);
    const collect = (chunk: Buffer): void => void (this.text += chunk.toString('utf8'));
    this.child.stdout.on('data', collect);
    this.child.stderr.on('data', collect);
  }

  /** What it has printed so far. */
  get output(): string {
    return this.text;
  }

  /**
   * Waits until it has done its work; one that takes too long is ended.
   *
   * @param input what it reads with `-f -`.
   * @returns what it has printed, followed by its exit code where that is not 0.
   */
  async finish(input?: string): Promise<string> {
    this.child.stdin.end(input);
    const timer = setTimeout(() => this.child.kill(), LONGEST_COMMAND);
    const [code] = (await once(this.child, 'close')) as [number | null];
    clearTimeout(timer);
    const printed = this.text.trimEnd();
    return code === 0 ? printed : `${printed}\n(exit code ${code ?? 'none'})`;
  }

  /** Ends it, unless it has ended. */
  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill();
    await once(this.child, 'close');
  }
}
