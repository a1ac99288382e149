import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ScenarioStep } from './scenario.reader.js';

const FIXTURES = fileURLToPath(new URL('./fixtures/', import.meta.url));
/** The real garbage collector takes half a minute to notice a new kind. */
const PATIENCE = 60_000;
const LONGEST_COMMAND = 60_000;

interface Invocation {
  readonly child: ChildProcess;
  output: string;
}

/** Runs the steps of a scenario against one API server. */
export class KubectlRunner {
  private readonly home = mkdtempSync(join(tmpdir(), 'kubectl-'));
  private readonly variables = new Map<string, string>();
  private readonly watches = new Map<string, Invocation>();

  constructor(
    private readonly kubectl: string,
    private readonly kubeconfig: string,
  ) {}

  /** Runs a step and gives what it printed, followed by its exit code where that is not 0. */
  async run(step: ScenarioStep): Promise<string> {
    const { form, parameter } = step;
    const command = step.command.map((word) => this.fill(word));
    switch (form) {
      case 'until':
        return this.until(new RegExp(parameter, 's'), command);
      case 'let':
        this.variables.set(parameter, await this.invoke(command));
        return '';
      case 'template':
        return this.invoke(command, { input: this.fill(readFileSync(join(FIXTURES, parameter), 'utf8')) });
      case 'edit':
        return this.invoke(command, { editor: `sed -i -e ${parameter}` });
      case 'watch':
        return this.watch(parameter, command);
      case 'unwatch':
        return this.unwatch(parameter);
      default:
        return this.invoke(command);
    }
  }

  /** Ends what still runs and removes the caches. */
  async close(): Promise<void> {
    for (const { child } of this.watches.values()) await end(child);
    rmSync(this.home, { recursive: true, force: true });
  }

  private async until(pattern: RegExp, command: readonly string[]): Promise<string> {
    const deadline = Date.now() + PATIENCE;
    let output = await this.invoke(command);
    while (!pattern.test(output) && Date.now() < deadline) {
      await sleep(100);
      output = await this.invoke(command);
    }
    return output;
  }

  private async invoke(command: readonly string[], options: { input?: string; editor?: string } = {}): Promise<string> {
    const invocation = this.start(command, options.editor);
    invocation.child.stdin?.end(options.input);
    const timer = setTimeout(() => invocation.child.kill(), LONGEST_COMMAND);
    const [code] = (await once(invocation.child, 'close')) as [number | null];
    clearTimeout(timer);
    return code === 0 ? invocation.output : `${invocation.output}\n(exit code ${code ?? 'none'})`;
  }

  private async watch(name: string, command: readonly string[]): Promise<string> {
    const invocation = this.start(command);
    this.watches.set(name, invocation);
    await this.untilPrinted(invocation, 1);
    // The first lines come from a list; the watch that follows it must be open before anything changes.
    await sleep(500);
    return '';
  }

  private async unwatch(parameter: string): Promise<string> {
    const [name, lines] = parameter.split(' ');
    const invocation = this.watches.get(name);
    if (!invocation) throw new Error(`nothing is watched as ${name}`);
    await this.untilPrinted(invocation, Number(lines));
    this.watches.delete(name);
    await end(invocation.child);
    return invocation.output;
  }

  private async untilPrinted(invocation: Invocation, lines: number): Promise<void> {
    const deadline = Date.now() + PATIENCE;
    while (invocation.output.split('\n').length - 1 < lines && Date.now() < deadline) await sleep(20);
  }

  private start(command: readonly string[], editor = 'false'): Invocation {
    const child = spawn(this.kubectl, command, {
      cwd: FIXTURES,
      env: { PATH: process.env.PATH, HOME: this.home, KUBECONFIG: this.kubeconfig, KUBE_EDITOR: editor, TZ: 'UTC' },
    });
    const invocation: Invocation = { child, output: '' };
    const collect = (chunk: Buffer): void => void (invocation.output += chunk.toString('utf8'));
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    return invocation;
  }

  private fill(text: string): string {
    return text.replaceAll(/\$([A-Z_]+)/g, (whole, name: string) => this.variables.get(name) ?? whole);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'close');
}
