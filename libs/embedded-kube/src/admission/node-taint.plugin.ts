import { isMapping, mapping } from '../common/json.values.js';
import type { AdmissionAttributes } from '../machinery/write.admission.js';
import type { AdmissionPlugin } from './admission.plugin.js';

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** The plugin that keeps pods from new nodes by a taint until they are ready. Simulated nodes are ready at once. */
export class NodeTaintPlugin implements AdmissionPlugin {
  readonly name = 'TaintNodesByCondition';

  admit({ operation, served, subresource, object }: AdmissionAttributes): void {
    if (operation !== 'CREATE' || served.storageKey !== 'nodes' || subresource || !object) return;
    const spec = mapping(object['spec']);
    const taints: readonly unknown[] = Array.isArray(spec['taints']) ? spec['taints'] : [];
    const isTainted = taints.some(
      (each) => isMapping(each) && each['key'] === NOT_READY.key && each['effect'] === NOT_READY.effect,
    );
    if (!isTainted) object['spec'] = { ...spec, taints: [...taints, { ...NOT_READY }] };
  }
}
