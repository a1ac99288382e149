import { builtinControllers, type BuiltinControllerSwitches } from './builtin.controllers.js';
import { EventExpiryController } from './event-expiry.controller.js';
import { FlowSchemaController } from './flow-schema.controller.js';
import { PodScheduler } from './nodes/pod.scheduler.js';
import { PodSimulator, type PodSimulatorOptions } from './nodes/pod.simulator.js';
import type { SimulatedPods } from './nodes/simulated.pods.js';
import { VolumeBinder } from './volume.binder.js';
import type { PolicyCheck } from './policy-status.controller.js';
import type { Controller, ControllerContext } from './controller.js';

/** The options of the controllers. */
export interface ControllerRunnerOptions {
  /** The server's own controllers that run. @default all */
  readonly builtinControllers?: BuiltinControllerSwitches;
  /** Whether nodes, pods, and volumes are simulated. @default false */
  readonly pods?: boolean | PodSimulatorOptions;
  /** Controllers that run beside the server's own. */
  readonly controllers?: readonly Controller[];
  /** The time that events are kept after their last write, in seconds; 0 for no limit. @default 3600 */
  readonly eventLifetime?: number;
  /** The delay of the garbage collector in seconds, called for each object. @default none */
  readonly garbageCollectionDelay?: () => number;
  /** Whether the server sorts requests by flow schemas. @default false */
  readonly flowControl?: boolean;
  /** Finds which expressions of a ValidatingAdmissionPolicy do not fit the types of objects. @default none are checked */
  readonly checkPolicy?: PolicyCheck;
  /** The certificate of the server, which is published in every namespace. @default none is published */
  readonly caCertificate?: string;
}

/** The controllers, started and stopped together; the server's own ones remember nothing after they were stopped. */
export class ControllerRunner {
  private stopping = new AbortController();
  private controllers: readonly Controller[] = [];

  constructor(
    private readonly options: ControllerRunnerOptions,
    private readonly context: Omit<ControllerContext, 'signal'>,
    private readonly simulated: SimulatedPods,
  ) {}

  async start(): Promise<void> {
    this.stopping = new AbortController();
    this.controllers = this.create();
    const context = { ...this.context, signal: this.stopping.signal };
    for (const controller of this.controllers) await controller.start(context);
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error('The API server is stopped'));
    for (const controller of this.controllers) await controller.stop();
    this.controllers = [];
  }

  private create(): Controller[] {
    const { pods, controllers = [], eventLifetime = 3600 } = this.options;
    return [
      ...builtinControllers(this.options.builtinControllers, this.options),
      ...(eventLifetime > 0 ? [new EventExpiryController(eventLifetime)] : []),
      ...(this.options.flowControl ? [new FlowSchemaController()] : []),
      ...(pods ? simulators(pods === true ? {} : pods, this.simulated) : []),
      ...controllers,
    ];
  }
}

/** Makes the stand-ins for nodes: the scheduler, the kubelets, and the provisioner of volumes. */
function simulators(options: PodSimulatorOptions, pods: SimulatedPods): Controller[] {
  return [new PodScheduler(options.events === true), new PodSimulator(options, pods), new VolumeBinder()];
}
