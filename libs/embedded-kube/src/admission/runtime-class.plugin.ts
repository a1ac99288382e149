import { jsonEqual, mapping } from '../common/json.values.js';
import type { AdmissionAttributes } from '../machinery/write.admission.js';
import type { ObjectStore } from '../storage/object.store.js';
import { denied } from './admission.denial.js';
import type { AdmissionPlugin } from './admission.plugin.js';

const CLASSES = 'runtimeclasses.node.k8s.io';

/** The plugin that gives new pods the overhead, the node selector and the tolerations of their RuntimeClass. */
export class RuntimeClassPlugin implements AdmissionPlugin {
  readonly name = 'RuntimeClass';

  constructor(private readonly store: ObjectStore) {}

  admit(attributes: AdmissionAttributes): void {
    const { object } = attributes;
    const found = this.classOf(attributes);
    if (!found || !object) return;
    const spec = mapping(object['spec']);
    const overhead = mapping(found['overhead'])['podFixed'];
    this.assertOverhead(attributes, overhead, true);
    object['spec'] = { ...spec, ...(overhead !== undefined && { overhead }), ...scheduled(attributes, spec, found) };
  }

  validate(attributes: AdmissionAttributes): void {
    const { served, operation, subresource } = attributes;
    if (served.storageKey !== 'pods' || operation !== 'CREATE' || subresource) return;
    this.assertOverhead(attributes, mapping(this.classOf(attributes)?.['overhead'])['podFixed'], false);
  }

  private classOf(attributes: AdmissionAttributes): Readonly<Record<string, unknown>> | undefined {
    const { served, operation, subresource, object } = attributes;
    if (served.storageKey !== 'pods' || operation !== 'CREATE' || subresource) return undefined;
    const name = mapping(object?.['spec'])['runtimeClassName'];
    if (typeof name !== 'string') return undefined;
    const found = this.store.collection(CLASSES).get('', name)?.object;
    if (!found) throw denied(attributes, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
    return found;
  }

  private assertOverhead(attributes: AdmissionAttributes, expected: unknown, mayLack: boolean): void {
    const { overhead } = mapping(attributes.object?.['spec']);
    if (overhead === undefined && (mayLack || expected === undefined)) return;
    if (expected === undefined) {
      if (mayLack) return;
      throw denied(attributes, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
    }
    if (jsonEqual(overhead, expected)) return;
    throw denied(attributes, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  }
}

function scheduled(
  attributes: AdmissionAttributes,
  spec: Readonly<Record<string, unknown>>,
  found: Readonly<Record<string, unknown>>,
): object {
  const { nodeSelector, tolerations } = mapping(found['scheduling']);
  const own = mapping(spec['nodeSelector']);
  for (const [key, value] of Object.entries(mapping(nodeSelector))) {
    if (own[key] === undefined || own[key] === value) continue;
    const conflict = `runtimeClass.scheduling.nodeSelector[${key}] = ${String(value)}; pod.spec.nodeSelector[${key}] = ${String(own[key])}`;
    throw denied(attributes, `conflict: ${conflict}`);
  }
  const present: readonly unknown[] = Array.isArray(spec['tolerations']) ? spec['tolerations'] : [];
  const wanted: readonly unknown[] = Array.isArray(tolerations) ? tolerations : [];
  const added = wanted.filter((each) => !present.some((other) => jsonEqual(each, other)));
  return {
    ...(nodeSelector !== undefined && { nodeSelector: { ...own, ...mapping(nodeSelector) } }),
    ...(added.length > 0 && { tolerations: [...present, ...added] }),
  };
}
