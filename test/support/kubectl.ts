import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubectlProcess } from './kubectl.process.js';

/** The real kubectl, as one user of one cluster has it; to be closed. */
export class Kubectl {
  private readonly home = mkdtempSync(join(tmpdir(), 'kubectl-'));

  /** @param folder where the files are that commands name; that of the tests by default. */
  constructor(
    private readonly path: string,
    private readonly kubeconfig: string,
    private readonly folder?: string,
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
      env: { PATH: process.env.PATH, HOME: home, KUBECONFIG: kubeconfig, KUBE_EDITOR: editor, TZ: 'UTC' },
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
