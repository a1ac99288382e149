import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { startControlPlane } from '../../support/clusters/control-plane.js';

const COMMAND = join(
  dirname(createRequire(import.meta.url).resolve('embedded-kube/package.json')),
  'bin/embedded-kube.js',
);
const CONNECTIONS = 8;
const TOKEN = 'token-of-the-administrator';

/** A server under load. */
export class Side {
  private readonly pool: Pool;
  /** Whose requests they are. */
  token: string;

  /** @param processes those of the server */
  constructor(
    readonly url: string,
    readonly administrator: string,
    private readonly processes: readonly number[],
    private readonly end: () => Promise<void>,
  ) {
    this.token = administrator;
    // Watches take connections of their own.
    this.pool = new Pool(url, { connections: CONNECTIONS * 4, connect: { rejectUnauthorized: false } });
  }

  /** The processor time of each process so far, in milliseconds. */
  processorTimes(): number[] {
    return this.processes.map(processorTime);
  }

  /** Sends a request, and reads the answer. @throws Error if the server rejects it */
  async send(method: string, path: string, body?: object, type = 'application/json'): Promise<string> {
    const answer = await this.pool.request({
      method: method as 'GET',
      path,
      headers: this.headers(type),
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return text;
  }

  /** Sends requests over several connections at a time. */
  async sendAll(count: number, send: (index: number) => Promise<unknown>): Promise<void> {
    let next = 0;
    const work = async (): Promise<void> => {
      for (let index = next++; index < count; index = next++) await send(index);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
  }

  /** Opens a watch. @returns a promise for the time when so many events have come */
  async watch(path: string, events: number): Promise<{ readonly done: Promise<void> }> {
    const { body } = await this.pool.request({ method: 'GET', path, headers: this.headers() });
    const read = async (): Promise<void> => {
      let seen = 0;
      for await (const chunk of body) {
        for (const byte of chunk as Uint8Array) if (byte === 10) seen += 1;
        if (seen >= events) break;
      }
    };
    return { done: read() };
  }

  /** Waits until the server has done what it does after its answers. */
  async settle(): Promise<void> {
    await sleep(300);
  }

  async stop(): Promise<void> {
    await this.pool.destroy();
    await this.end();
  }

  private headers(type = 'application/json'): Record<string, string> {
    return {
      authorization: `Bearer ${this.token}`,
      'content-type': type,
      accept: 'application/json',
      'user-agent': 'bench/1.0',
    };
  }
}

/** Starts the command, as it was built. */
export async function startEmbedded(): Promise<Side> {
  const child = spawn(process.execPath, [COMMAND, '--port', '0', '--token', TOKEN], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error('embedded-kube did not start')));
    child.stdout.on('data', (data) => {
      output += String(data);
      const [, found] = /Serving Kubernetes on (\S+)/.exec(output) ?? [];
      if (found) resolve(found);
    });
  });
  const stop = async (): Promise<void> => {
    child.kill();
    await once(child, 'exit');
  };
  return new Side(url, TOKEN, [child.pid!], stop);
}

/** Starts a real API server with etcd and the controllers, which are not measured. */
export async function startReal(): Promise<Side> {
  const plane = await startControlPlane();
  const pids = ['kube-apiserver', 'etcd'].map(childNamed);
  return new Side(plane.url, plane.token, pids, () => plane.stop());
}

function childNamed(name: string): number {
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  const found = pids.find((pid) => {
    const { command, parent } = statusOf(pid);
    return command === name && parent === process.pid;
  });
  if (!found) throw new Error(`There is no process ${name}`);
  return Number(found);
}

function statusOf(pid: string): { readonly command: string; readonly parent: number } {
  try {
    const [, command = '', rest = ''] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return { command, parent: Number(rest.split(' ')[1]) };
  } catch {
    // It has ended meanwhile.
    return { command: '', parent: 0 };
  }
}

/** In milliseconds; Linux counts in hundredths of a second. */
function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
