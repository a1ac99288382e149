import { EventExpiryController } from './controllers/event-expiry.controller.js';
import { GarbageCollector } from './controllers/garbage.collector.js';
import { JobController } from './controllers/job.controller.js';
import { NamespaceController } from './controllers/namespace.controller.js';
import { PodSimulator } from './controllers/pod.simulator.js';
import { VolumeBinder } from './controllers/volume.binder.js';
import { VolumeProtectionController } from './controllers/volume-protection.controller.js';
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
    const { pods, controllers = [], eventLifetime = 3600 } = options;
    this.controllers = [
      new GarbageCollector(),
      new NamespaceController(),
      new VolumeProtectionController(),
      ...(eventLifetime > 0 ? [new EventExpiryController(eventLifetime)] : []),
      ...(pods ? [new PodSimulator(pods === true ? {} : pods), new JobController(), new VolumeBinder()] : []),
      ...controllers,
    ];
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
