import type { Clock } from 'kube-common';
import { mapping } from '../common/json.values.js';
import { missingRequirements, quotaMatches, quotaNames, quotaUsage } from '../kinds/quota.usage.js';
import type { AdmissionAttributes } from '../machinery/write.admission.js';
import type { KubeObject } from '../resources/kube-object.js';
import {
  addResources,
  formatResources,
  maskResources,
  type ResourceList,
  resourceFields,
  resourceList,
  subtractResources,
} from '../resources/resource.list.js';
import { type ObjectStore, StaleWriteError } from '../storage/object.store.js';
import type { StoredObject } from '../storage/stored.object.js';
import { denied } from './admission.denial.js';
import type { AdmissionPlugin } from './admission.plugin.js';

const QUOTAS = 'resourcequotas';

/** A quota with the amounts that a write adds to it. */
interface Charge {
  readonly quota: StoredObject;
  readonly used: ResourceList;
}

/** The plugin that rejects what a ResourceQuota of the namespace has no room for, and counts in the quota's status what is used. It runs last. */
export class ResourceQuotaPlugin implements AdmissionPlugin {
  readonly name = 'ResourceQuota';

  constructor(
    private readonly store: ObjectStore,
    private readonly clock: Clock,
  ) {}

  validate(attributes: AdmissionAttributes): void {
    const { namespace, object, served } = attributes;
    if (!namespace || !object || !served.resource.namespaced) return;
    const quotas = this.store.collection(QUOTAS).list(namespace);
    if (quotas.length === 0 || !isCharged(attributes)) return;
    const charges = this.charge(attributes, object as KubeObject, quotas);
    if (!attributes.dryRun) for (const each of charges) this.write(each);
  }

  private charge(attributes: AdmissionAttributes, object: KubeObject, quotas: readonly StoredObject[]): Charge[] {
    const { storageKey } = attributes.served;
    const now = this.clock.now();
    const matching = quotas.flatMap((quota) => {
      const hard = resourceList(mapping(quota.object['status'])['hard']);
      return quotaMatches(quota.object, storageKey, object, hard) ? [{ quota, hard }] : [];
    });
    for (const { quota, hard } of matching) this.assertKnown(attributes, object, quota, hard);
    const usage = quotaUsage(storageKey, object, now);
    const negative = [...usage].filter(([, { nanos }]) => nanos < 0n).map(([name]) => name);
    if (negative.length > 0) {
      throw denied(attributes, `quota usage is negative for resource(s): ${negative.toSorted().join(',')}`);
    }
    const { previous } = attributes;
    const before = previous ? quotaUsage(storageKey, previous, now) : undefined;
    return matching.flatMap(({ quota, hard }) => {
      const counted = before && previous && quotaMatches(quota.object, storageKey, previous, hard) ? before : undefined;
      const delta = nonZero(counted ? subtractResources(usage, counted) : usage);
      return delta.size > 0 ? [this.chargeOne(attributes, quota, hard, delta)] : [];
    });
  }

  private assertKnown(
    attributes: AdmissionAttributes,
    object: KubeObject,
    quota: StoredObject,
    hard: ResourceList,
  ): void {
    const { storageKey } = attributes.served;
    const names = quotaNames(storageKey, hard.keys());
    const missing = storageKey === 'pods' ? missingRequirements(object, names) : undefined;
    if (missing) throw denied(attributes, `failed quota: ${quota.name}: ${missing}`);
    const used = mapping(mapping(quota.object['status'])['used']);
    if (names.every((name) => used[name] !== undefined)) return;
    throw denied(attributes, `status unknown for quota: ${quota.name}, resources: ${names.toSorted().join(',')}`);
  }

  private chargeOne(
    attributes: AdmissionAttributes,
    quota: StoredObject,
    hard: ResourceList,
    delta: ResourceList,
  ): Charge {
    const used = resourceList(mapping(quota.object['status'])['used']);
    const requested = maskResources(delta, hard.keys());
    const next = addResources(used, requested);
    const exceeded = [...requested.keys()].filter((name) => next.get(name)!.nanos > hard.get(name)!.nanos);
    if (exceeded.length === 0 || attributes.subresource === 'status') return { quota, used: next };
    const part = (list: ResourceList): string => formatResources(maskResources(list, exceeded));
    const amounts = `requested: ${part(requested)}, used: ${part(used)}, limited: ${part(hard)}`;
    throw denied(attributes, `exceeded quota: ${quota.name}, ${amounts}`);
  }

  private write({ quota, used }: Charge): void {
    const { object } = quota;
    const status = { ...mapping(object['status']), used: resourceFields(used) };
    try {
      this.store.update(QUOTAS, quota, { ...object, status });
    } catch (error) {
      // A listener has deleted the quota: it limits nothing any more.
      if (!(error instanceof StaleWriteError)) throw error;
    }
  }
}

/** Whether a write can use more than before. */
function isCharged({ operation, subresource, served, object, previous }: AdmissionAttributes): boolean {
  const { storageKey } = served;
  if (subresource) return storageKey === 'pods' && subresource === 'resize' && operation === 'UPDATE';
  if (operation === 'CREATE') return true;
  if (operation !== 'UPDATE') return false;
  if (storageKey !== 'pods') return storageKey === 'services' || storageKey === 'persistentvolumeclaims';
  const deadline = (each: unknown): boolean => mapping(each)['activeDeadlineSeconds'] !== undefined;
  return deadline(object?.['spec']) !== deadline(previous?.['spec']);
}

function nonZero(list: ResourceList): ResourceList {
  return new Map([...list].filter(([, { nanos }]) => nanos !== 0n));
}
