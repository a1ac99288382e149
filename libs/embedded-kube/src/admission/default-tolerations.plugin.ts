import { mapping } from '../common/json.values.js';
import type { AdmissionAttributes } from '../machinery/write.admission.js';
import type { AdmissionPlugin } from './admission.plugin.js';

/** The taints of nodes that do not answer. */
const TAINTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
const PATIENCE = 300;

/** The plugin that lets pods stay for five minutes on nodes that do not answer, unless the pods set another time. */
export class DefaultTolerationsPlugin implements AdmissionPlugin {
  readonly name = 'DefaultTolerationSeconds';

  admit({ operation, served, subresource, object }: AdmissionAttributes): void {
    if (served.storageKey !== 'pods' || subresource || !object) return;
    if (operation !== 'CREATE' && operation !== 'UPDATE') return;
    const spec = mapping(object['spec']);
    const tolerations: readonly unknown[] = Array.isArray(spec['tolerations']) ? spec['tolerations'] : [];
    const lacking = TAINTS.filter((taint) => !tolerations.some((each) => tolerates(mapping(each), taint)));
    if (lacking.length === 0) return;
    const added = lacking.map((key) => ({
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: PATIENCE,
    }));
    object['spec'] = { ...spec, tolerations: [...tolerations, ...added] };
  }
}

function tolerates({ key, effect }: Readonly<Record<string, unknown>>, taint: string): boolean {
  return (!key || key === taint) && (!effect || effect === 'NoExecute');
}
