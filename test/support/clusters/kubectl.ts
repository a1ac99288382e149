import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';

/** The real kubectl, as one user of one cluster has it; to be closed. */
export class Kubectl {
  private readonly home = mkdtempSync(join(tmpdir(), 'kubectl-'));

  /**
   * @param folder where the files are that commands name; that of the tests by default.
   * @param settings further variables of the environment.
   */
  constructor(
    private readonly path: string,
    private readonly kubeconfig: string,
    private readonly folder?: string,
    private readonly settings: Readonly<Record<string, string>> = {},
  ) {}

  /**
   * Starts a command.
   *
   * @param editor what `kubectl edit` starts; something that fails by default.
   */
  start(command: readonly string[], editor = 'false'): KubectlProcess {
    const { path, home, kubeconfig, folder } = this;
    return new KubectlProcess(path, command, {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        KUBECONFIG: kubeconfig,
        KUBE_EDITOR: editor,
        TZ: 'UTC',
        ...this.settings,
      },
    });
  }

  /**
   * Runs a command.
   *
   * @param input what it reads with `-f -`.
   * @returns what it has printed, followed by its exit code where that is not 0.
   */
  run(command: readonly string[], input?: object): Promise<string> {
    return this.start(command).finish(input && JSON.stringify(input));
  }

  /** Runs a command, and gives the HTTP statuses of the API server's answers. */
  async statuses(command: readonly string[], input?: object): Promise<readonly number[]> {
    const output = await this.run([...command, '-v=6'], input);
    return [...output.matchAll(/\] .* (\d{3}) .*in \d+ milliseconds$/gm)].map(([, status]) => Number(status));
  }

  close(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** The time limit of one command, in milliseconds. */
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

  /** The output so far. */
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
