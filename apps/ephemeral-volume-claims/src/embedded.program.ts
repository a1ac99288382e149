import type { INestApplication, LogLevel } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { EmbeddedKube } from 'embedded-kube';
import { KopfOperator } from 'nestjs-kopf';
import { AppModule } from './app.module.js';
import { startEmbeddedCluster } from './embedded.cluster.js';
import { findFreePort } from './free.port.js';
import { createLocalConsole } from './local.console.js';
import { stopOnSignals } from './signals.js';

/** The operator and an API server of its own, in one process that ends cleanly: by a signal, and when it cannot be started. */
export class EmbeddedProgram {
  private kube: Promise<EmbeddedKube> | undefined;
  private app: INestApplication | undefined;

  /**
   * Starts the API server, and the operator when the first objects are there.
   *
   * @param logger what the operator shows of its log.
   * @param options.prepare creates the first objects.
   * @param options.port that of the API server. @default any free one
   * @param options.consolePorts those of the console: the first one that no other program has. @default any free one
   * @returns `console` is the address of the console.
   */
  async start(
    logger: LogLevel[],
    {
      prepare,
      port,
      consolePorts = [0],
    }: { prepare?: (kube: EmbeddedKube) => Promise<void>; port?: number; consolePorts?: readonly number[] } = {},
  ): Promise<{ kube: EmbeddedKube; app: INestApplication; console: string }> {
    stopOnSignals(() => this.stop());
    // Nest would tell of a port that is taken as of an error, with a stack.
    const consolePort = await findFreePort(consolePorts);
    this.kube = startEmbeddedCluster(port);
    const kube = await this.kube;
    // An exception that nobody catches ends the process as well; the server removes its kubeconfig at once, before it waits for anything.
    process.once('exit', () => void kube.stop());
    await prepare?.(kube);
    const options = { credentials: kube.kubeconfig };
    // By default, Nest ends the process here if something is wrong, and the API server could not remove its kubeconfig.
    const app = await NestFactory.create(AppModule.register(options, [createLocalConsole()]), {
      logger,
      abortOnError: false,
    });
    this.app = app;
    await app.listen(consolePort, '127.0.0.1');
    await app.get(KopfOperator).ready();
    return { kube, app, console: `${await app.getUrl()}/kopf/` };
  }

  /** Stops the operator first, as it still writes at its end, and then the API server, which removes its kubeconfig. */
  async stop(): Promise<void> {
    await this.app?.close();
    await (await this.kube?.catch(() => undefined))?.stop();
  }
}
