import type { Clock } from 'kube-common';
import { isMapping, mapping } from '../common/json.values.js';
import { timestamp } from '../common/timestamps.js';
import type { AdmissionAttributes } from '../machinery/write.admission.js';
import type { AdmissionPlugin } from './admission.plugin.js';

/** The plugin that records in requests for certificates who asks for one, and when their conditions changed. */
export class CertificateRequestPlugin implements AdmissionPlugin {
  readonly name = 'CertificateRequest';

  constructor(private readonly clock: Clock) {}

  admit({ served, operation, subresource, object, previous, user }: AdmissionAttributes): void {
    if (served.storageKey !== 'certificatesigningrequests.certificates.k8s.io' || !object) return;
    if (operation === 'CREATE') {
      const { name, uid, groups } = user;
      object['spec'] = { ...mapping(object['spec']), username: name, ...(uid && { uid }), groups: [...groups] };
    } else if (subresource === 'approval' || subresource === 'status') {
      this.stampConditions(object, mapping(mapping(previous)['status'])['conditions']);
    }
  }

  private stampConditions(object: Record<string, unknown>, previous: unknown): void {
    const status = mapping(object['status']);
    if (!Array.isArray(status['conditions'])) return;
    const now = timestamp(this.clock.now());
    const before = Array.isArray(previous) ? previous.filter(isMapping) : [];
    const conditions = status['conditions'].filter(isMapping).map((condition) => {
      const { type, status: state, lastUpdateTime, lastTransitionTime } = condition;
      const same = before.find((each) => each['type'] === type && each['status'] === state);
      return {
        ...condition,
        lastUpdateTime: lastUpdateTime ?? now,
        lastTransitionTime: lastTransitionTime ?? same?.['lastTransitionTime'] ?? now,
      };
    });
    object['status'] = { ...status, conditions };
  }
}
