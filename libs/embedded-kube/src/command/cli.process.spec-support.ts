import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const SOURCES = fileURLToPath(new URL('..', import.meta.url));
const MODULES = fileURLToPath(new URL('../../../../node_modules', import.meta.url));

/** Compiles the sources, so that a process of its own can run them; gives the folder. */
export function compileSources(): string {
  const folder = mkdtempSync(join(MODULES, '.embedded-kube-'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const file of readdirSync(SOURCES, { recursive: true }) as string[]) {
    if (!file.endsWith('.ts') || /\.spec(-support)?\.ts$/.test(file)) continue;
    const { outputText } = ts.transpileModule(readFileSync(join(SOURCES, file), 'utf8'), {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    });
    const target = join(folder, file.replace(/ts$/, 'js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, outputText);
  }
  return folder;
}

export function removeCompiled(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** The command, running in a process of its own. */
export class CliProcess {
  private constructor(
    readonly child: ChildProcess,
    readonly url: string,
    readonly errors: () => string,
  ) {}

  /** @throws Error if it ends before it serves */
  static async start(compiled: string, ...args: string[]): Promise<CliProcess> {
    const child = spawn(process.execPath, [join(compiled, 'command/main.js'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    child.stderr!.on('data', (data) => (errors += String(data)));
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout!.on('data', (data) => {
        output += String(data);
        const match = /Serving Kubernetes on (\S+)/.exec(output);
        if (match) resolve(match[1]!);
      });
      child.once('exit', (code) => reject(new Error(`exit ${code}: ${errors}${output}`)));
    });
    return new CliProcess(child, url, () => errors);
  }

  /** @returns the exit code; `null` if a signal ended it */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const ended = once(this.child, 'exit') as Promise<[number | null]>;
    this.child.kill(signal);
    return (await ended)[0];
  }
}
