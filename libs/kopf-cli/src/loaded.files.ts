import { createRequire, register } from 'node:module';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MessageChannel, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { CliEnvironment } from './cli.environment.js';
import type { WatchHookData } from './watching.thread.js';

/** The files of the user that a process has loaded: modules by hooks, and those in CommonJS by the cache of `require()`. */
export class LoadedFiles {
  private readonly ports: MessagePort[] = [];
  private readonly files = new Set<string>();

  constructor(private readonly environment: Pick<CliEnvironment, 'watchHooks' | 'library'>) {}

  /** Registers the hooks. It must be done after other hooks that load files by themselves, as those registered last are called first. */
  start(): void {
    const { watchHooks } = this.environment;
    if (!watchHooks) return;
    const { port1, port2 } = new MessageChannel();
    port1.unref();
    this.ports.push(port1);
    register<WatchHookData>(watchHooks, { data: { port: port2 }, transferList: [port2] });
  }

  /** The paths of all files so far that belong to no installed package. */
  list(): readonly string[] {
    for (const port of this.ports) {
      for (;;) {
        const received = receiveMessageOnPort(port) as { readonly message: string } | undefined;
        if (!received) break;
        this.files.add(fileURLToPath(received.message));
      }
    }
    for (const file of Object.keys(createRequire(import.meta.url).cache)) this.files.add(file);
    const { library } = this.environment;
    return [...this.files].filter(
      (file) => !file.includes(`${sep}node_modules${sep}`) && !(library && file.startsWith(library)),
    );
  }
}
