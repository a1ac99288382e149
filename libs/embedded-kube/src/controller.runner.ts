import type { EmbeddedKubeOptions } from './embedded-kube.options.js';
import type { Controller, ControllerContext } from './interfaces/controller.js';

/** Starts and stops the controllers. */
export class ControllerRunner {
  private readonly stopping = new AbortController();
  private readonly controllers: readonly Controller[];

  constructor(
    options: EmbeddedKubeOptions,
    private readonly context: Omit<ControllerContext, 'signal'>,
  ) {
    this.controllers = [...(options.controllers ?? [])];
  }

  async start(): Promise<void> {
    const context = { ...this.context, signal: this.stopping.signal };
    for (const controller of this.controllers) await controller.start(context);
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error('The API server is stopped'));
    for (const controller of this.controllers) await controller.stop();
  }
}
