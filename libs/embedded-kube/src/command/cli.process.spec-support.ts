import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Bundle, bundleProgram } from '../../../../test/support/programs/bundle.js';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

/** A folder of each test's own, and the ways to the command that runs there. */
export interface CommandWorld {
  command: Bundle;
  folder: string;
  client: KubeconfigClient;
}

/** Bundles the command for all tests of a file, and makes a folder for each of them. */
export function useCommand(): CommandWorld {
  const world = {} as CommandWorld;
  beforeAll(async () => {
    world.command = await bundleProgram(MAIN);
  });
  afterAll(() => world.command.remove());
  beforeEach(() => {
    world.folder = mkdtempSync(join(tmpdir(), 'embedded-kube-'));
    world.client = new KubeconfigClient(join(world.folder, 'kubeconfig'));
  });
  afterEach(() => {
    world.client.close();
    rmSync(world.folder, { recursive: true, force: true });
  });
  return world;
}

/** The command in a child process. */
export class CliProcess {
  private constructor(
    readonly child: ChildProcess,
    readonly url: string,
    readonly errors: () => string,
  ) {}

  /** @throws Error if it ends before it serves */
  static start(bundle: Bundle, ...args: string[]): Promise<CliProcess> {
    return CliProcess.run(process.execPath, bundle.path, ...args);
  }

  /** Starts it on a disk that seems full: no file can grow beyond this size. */
  static startLimited(kibibytes: number, bundle: Bundle, ...args: string[]): Promise<CliProcess> {
    const script = `ulimit -f ${kibibytes}; exec "$@"`;
    return CliProcess.run('bash', '-c', script, 'bash', process.execPath, bundle.path, ...args);
  }

  /** Starts the command with an output that is never read. */
  static startUnread(bundle: Bundle, ...args: string[]): ChildProcess {
    const child = spawn(process.execPath, [bundle.path, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    child.stderr.destroy();
    return child;
  }

  private static async run(command: string, ...args: string[]): Promise<CliProcess> {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
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

/** An answer that has arrived as a whole. */
export interface CliAnswer {
  readonly status: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

/** A client by a kubeconfig, over connections that are kept. */
export class KubeconfigClient {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(private readonly kubeconfig: string) {}

  /** @throws Error if the answer does not arrive as a whole */
  async send(path: string, method = 'GET', body?: object): Promise<CliAnswer> {
    const text = readFileSync(this.kubeconfig, 'utf8');
    const value = (key: string): string => new RegExp(`${key}: (\\S+)`).exec(text)![1]!;
    const outgoing = request(value('server') + path, {
      method,
      agent: this.agent,
      ca: Buffer.from(value('certificate-authority-data'), 'base64'),
      headers: { authorization: `Bearer ${value('token')}`, 'content-type': 'application/json' },
    });
    outgoing.end(body && JSON.stringify(body));
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    let answer = '';
    for await (const chunk of response) answer += String(chunk);
    return { status: response.statusCode!, body: JSON.parse(answer) };
  }

  close(): void {
    this.agent.destroy();
  }
}
