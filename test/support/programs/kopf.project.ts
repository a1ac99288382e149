import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { ConnectionInfo } from 'nestjs-kopf';
import { createKubeconfig } from './kopf.command.js';

const ROOT = join(import.meta.dirname, '../../..');

const execute = promisify(execFile);

/** Builds the libraries, unless they are built already: a command in a separate process runs the published code. */
export async function buildLibraries(): Promise<void> {
  await execute(
    process.execPath,
    [join(ROOT, 'test/tools/build.mjs'), 'embedded-kube', 'kopf-simulation', 'kopf-cli'],
    { cwd: ROOT },
  );
}

/** A project that has installed the libraries, to call the command `kopf` in. */
export class KopfProject {
  readonly folder = mkdtempSync(join(tmpdir(), 'kopf-project-'));
  readonly kubeconfig = join(this.folder, 'kubeconfig');

  /**
   * @param credentials of the cluster that commands use which are told nothing else.
   * @param typescript the installed package that is the project's `typescript`.
   */
  constructor(credentials?: ConnectionInfo, typescript = 'typescript') {
    const modules = join(this.folder, 'node_modules');
    mkdirSync(modules);
    for (const name of readdirSync(join(ROOT, 'node_modules'))) {
      if (name.startsWith('.')) continue;
      const target = name === 'typescript' ? typescript : name;
      symlinkSync(join(ROOT, 'node_modules', target), join(modules, name));
    }
    this.write('package.json', '{ "type": "module" }');
    if (credentials) this.write('kubeconfig', createKubeconfig(credentials));
  }

  write(name: string, text: string): void {
    const file = join(this.folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  start(...args: readonly string[]): KopfProcess {
    return new KopfProcess(args, this.folder, { KUBECONFIG: this.kubeconfig });
  }

  /** Runs a command to its end. */
  run(...args: readonly string[]): Promise<ProcessOutcome> {
    return this.start(...args).outcome;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Everything that a process has left. */
export interface ProcessOutcome {
  /** `null` if a signal has ended it. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The command `kopf` in a separate process. */
export class KopfProcess {
  readonly outcome: Promise<ProcessOutcome>;
  private readonly child: ChildProcess;
  private readonly printed = { out: '', err: '' };
  private readonly lines: string[] = [];
  private wake = (): void => undefined;

  constructor(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
    const program = join(ROOT, 'libs/kopf-cli/bin/kopf.js');
    // The tests' own condition would lead to the sources.
    const { NODE_OPTIONS: _, ...inherited } = process.env;
    this.child = spawn(process.execPath, [program, ...args], { cwd, env: { ...inherited, ...env } });
    this.child.stdout!.on('data', (data) => (this.printed.out += String(data)));
    this.child.stderr!.on('data', (data) => (this.printed.err += String(data)));
    this.outcome = new Promise((resolve) =>
      this.child.once('close', (code) => {
        resolve({ code, ...this.printed });
        this.wake();
      }),
    );
    createInterface({ input: this.child.stdout! }).on('line', (line) => {
      this.lines.push(line);
      this.wake();
    });
  }

  get err(): string {
    return this.printed.err;
  }

  /**
   * Waits for the next line of the standard output that matches, and takes all lines up to it.
   *
   * @throws Error if the process ends before.
   */
  async line(pattern: RegExp): Promise<string> {
    for (;;) {
      const index = this.lines.findIndex((line) => pattern.test(line));
      if (index >= 0) return this.lines.splice(0, index + 1).at(-1)!;
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        throw new Error(`The process has ended before ${pattern}:\n${this.printed.out}\n${this.printed.err}`);
      }
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** Waits for the next event of this name that `kopf dev --output json` tells of. */
  async event(name: string): Promise<any> {
    return JSON.parse(await this.line(new RegExp(`^{"event":"${name}"`)));
  }

  /** Sends a signal. @returns how the process ends, some time */
  signal(name: NodeJS.Signals): Promise<ProcessOutcome> {
    this.child.kill(name);
    return this.outcome;
  }
}
