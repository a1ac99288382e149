import type { ControllerContext, ResourceId } from '../controller.js';
import type { KubeObject } from '../../resources/kube-object.js';
import { ReconcilingController } from '../reconciling.controller.js';
import { ignoringGone } from '../work.queue.js';
import { withCondition, type WorkloadCondition } from '../workloads/workload.pods.js';

const RANGES: ResourceId = { group: 'networking.k8s.io', plural: 'servicecidrs' };
const FINALIZER = 'networking.k8s.io/service-cidr-finalizer';
const DEFAULT_NAME = 'kubernetes';
const DEFAULT_RANGE = '10.96.0.0/16';

/** The controller that creates the default range of service addresses, and sets all ranges to ready. */
export class ServiceCidrController extends ReconcilingController {
  readonly name = 'service-cidr-controller';

  constructor() {
    super(RANGES);
  }

  override start(context: ControllerContext): void {
    super.start(context);
    if (!this.client.get(RANGES, undefined, DEFAULT_NAME)) this.queue.add(`/${DEFAULT_NAME}`);
  }

  protected async reconcile(range: KubeObject): Promise<void> {
    const { name = '', uid, finalizers = [], deletionTimestamp } = range.metadata;
    const others = finalizers.filter((each) => each !== FINALIZER);
    if (deletionTimestamp) {
      if (others.length === finalizers.length) return;
      const patch = { metadata: { uid, finalizers: others.length ? others : null } };
      await ignoringGone(this.client.patch(RANGES, undefined, name, patch));
      return;
    }
    if (others.length === finalizers.length && name !== DEFAULT_NAME) {
      const patch = { metadata: { uid, finalizers: [...finalizers, FINALIZER] } };
      await ignoringGone(this.client.patch(RANGES, undefined, name, patch));
      return;
    }
    const { conditions } = (range.status ?? {}) as { conditions?: readonly WorkloadCondition[] };
    const subject = name === DEFAULT_NAME ? 'Kubernetes default Service CIDR' : 'Kubernetes Service CIDR';
    const ready = { type: 'Ready', status: 'True', reason: '', message: `${subject} is ready` };
    await this.updateStatus(range, { conditions: withCondition(conditions, ready, this.now) });
  }

  protected override async reconcileGone(_namespace: string | undefined, name: string): Promise<void> {
    if (name !== DEFAULT_NAME) return;
    await this.client.create(RANGES, undefined, { metadata: { name }, spec: { cidrs: [DEFAULT_RANGE] } });
  }
}
