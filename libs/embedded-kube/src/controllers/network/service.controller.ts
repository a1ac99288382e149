import type { KubeObject } from '../../resources/kube-object.js';
import type { ResourceId } from '../controller.js';
import { ReconcilingController } from '../reconciling.controller.js';
import { objectKey } from '../work.queue.js';
import { backendSelector, isSameBackend, matchesLabels } from './service.backends.js';

export const SERVICES: ResourceId = { group: '', plural: 'services' };
const PODS: ResourceId = { group: '', plural: 'pods' };

/** The common part of the controllers of endpoints: they follow services and the pods behind them. */
export abstract class ServiceController extends ReconcilingController {
  constructor() {
    super(SERVICES);
  }

  protected override watchOthers(): (() => void)[] {
    return [
      this.client.watch(PODS, ({ type, object, previous }) => {
        if (type === 'MODIFIED' && previous && isSameBackend(previous, object)) return;
        for (const service of this.client.list(SERVICES, object.metadata.namespace)) {
          const selector = backendSelector(service);
          const isBehind = (pod: KubeObject | undefined): boolean =>
            !!pod && !!selector && matchesLabels(selector, pod.metadata.labels);
          if (isBehind(object) || isBehind(previous)) this.queue.add(objectKey(service));
        }
      }),
    ];
  }

  protected podsOf({ metadata }: KubeObject): readonly KubeObject[] {
    return this.client.list(PODS, metadata.namespace);
  }
}
