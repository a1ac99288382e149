import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How long a command may take, in milliseconds. */
const LONGEST_COMMAND = 30_000;

/** The real kubectl, as one user of one cluster has it; to be closed. */
export class Kubectl {
  private readonly home = mkdtempSync(join(tmpdir(), 'kubectl-'));

  constructor(
    private readonly path: string,
    private readonly kubeconfig: string,
  ) {}

  /**
   * Runs a command.
   *
   * @param input what it reads with `-f -`.
   * @returns what it has printed, followed by its exit code where that is not 0.
   */
  async run(command: readonly string[], input?: object): Promise<string> {
    const child = spawn(this.path, command, {
      env: { PATH: process.env.PATH, HOME: this.home, KUBECONFIG: this.kubeconfig, TZ: 'UTC' },
    });
    let output = '';
    const collect = (chunk: Buffer): void => void (output += chunk.toString('utf8'));
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.stdin.end(input && JSON.stringify(input));
    const timer = setTimeout(() => child.kill(), LONGEST_COMMAND);
    const [code] = (await once(child, 'close')) as [number | null];
    clearTimeout(timer);
    return code === 0 ? output.trimEnd() : `${output.trimEnd()}\n(exit code ${code ?? 'none'})`;
  }

  /** Runs a command, and gives the HTTP statuses of the API server's answers. */
  async statuses(command: readonly string[], input?: object): Promise<readonly number[]> {
    const output = await this.run([...command, '-v=6'], input);
    return [...output.matchAll(/ (\d{3}) .*in \d+ milliseconds$/gm)].map(([, status]) => Number(status));
  }

  close(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}
