import { mapping } from '../common/json.values.js';
import { SYSTEM_PRIORITY_CLASSES } from '../kinds/priority.classes.js';
import type { AdmissionAttributes } from '../machinery/write.admission.js';
import type { KubeObject } from '../resources/kube-object.js';
import type { ObjectStore } from '../storage/object.store.js';
import { denied } from './admission.denial.js';
import type { AdmissionPlugin } from './admission.plugin.js';

const CLASSES = 'priorityclasses.scheduling.k8s.io';
const DEFAULT_POLICY = 'PreemptLowerPriority';

/** The plugin that gives new pods the priority of their PriorityClass, or of the default one. */
export class PriorityPlugin implements AdmissionPlugin {
  readonly name = 'Priority';

  constructor(private readonly store: ObjectStore) {}

  admit(attributes: AdmissionAttributes): void {
    const { served, operation, subresource, object, previous } = attributes;
    if (served.storageKey !== 'pods' || subresource || !object) return;
    const spec = mapping(object['spec']);
    if (operation === 'UPDATE') {
      const { priority, preemptionPolicy } = mapping(previous?.['spec']);
      object['spec'] = { priority, preemptionPolicy, ...spec };
      return;
    }
    const { name, value, policy } = this.classOf(attributes, spec['priorityClassName']);
    const { priority, preemptionPolicy } = spec;
    const from = 'priority admission controller computed';
    if (priority !== undefined && Number(priority) !== value) {
      const rule = `the integer value of priority (${String(priority)}) must not be provided in pod spec`;
      throw denied(attributes, `${rule}; ${from} ${value} from the given PriorityClass name`);
    }
    if (preemptionPolicy !== undefined && preemptionPolicy !== policy) {
      const rule = `the string value of PreemptionPolicy (${String(preemptionPolicy)}) must not be provided in pod spec`;
      throw denied(attributes, `${rule}; ${from} ${policy} from the given PriorityClass name`);
    }
    object['spec'] = { ...spec, ...(name && { priorityClassName: name }), priority: value, preemptionPolicy: policy };
  }

  validate(attributes: AdmissionAttributes): void {
    const { served, operation, object } = attributes;
    if (served.storageKey !== CLASSES || !object || object['globalDefault'] !== true) return;
    const other = this.defaultClass()?.metadata.name;
    if (other === undefined || (operation === 'UPDATE' && other === object.metadata.name)) return;
    throw denied(attributes, `PriorityClass ${other} is already marked as default. Only one default can exist`);
  }

  private classOf(attributes: AdmissionAttributes, name: unknown): { name: string; value: number; policy: string } {
    const given = typeof name === 'string' && name !== '';
    const found = given ? this.store.collection(CLASSES).get('', name)?.object : this.defaultClass();
    if (found) {
      const policy = String(found['preemptionPolicy'] ?? DEFAULT_POLICY);
      return { name: found.metadata.name!, value: Number(found['value'] ?? 0), policy };
    }
    if (!given) return { name: '', value: 0, policy: DEFAULT_POLICY };
    const value = SYSTEM_PRIORITY_CLASSES.find((each) => each.name === name)?.value;
    if (value !== undefined) return { name, value, policy: DEFAULT_POLICY };
    throw denied(attributes, `no PriorityClass with name ${name} was found`);
  }

  /** Returns the default with the lowest value, as there may be several from before there was this rule. */
  private defaultClass(): KubeObject | undefined {
    const defaults = this.store
      .collection(CLASSES)
      .list()
      .map(({ object }) => object)
      .filter((object) => object['globalDefault'] === true);
    return defaults.toSorted((a, b) => Number(a['value'] ?? 0) - Number(b['value'] ?? 0))[0];
  }
}
