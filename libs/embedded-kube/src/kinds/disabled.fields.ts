import { mapping } from '../common/json.values.js';
import type { DefaultRule } from './default.rules.js';

type Values = Record<string, unknown>;

/**
 * The functions that remove the fields of features that are off, by the names of built-in types. As on the real server, the owners of such
 * fields are recorded before.
 */
export const DISABLED_FIELDS: Readonly<Record<string, DefaultRule>> = {
  // Updating several pods of a set at a time.
  'apps.v1.RollingUpdateStatefulSetStrategy': (strategy) => void delete strategy['maxUnavailable'],
  // Elections that the cluster coordinates.
  'coordination.v1.LeaseSpec': (spec) => {
    delete spec['strategy'];
    delete spec['preferredHolder'];
  },
  'core.v1.Container': dropStopSignal,
  'core.v1.EphemeralContainer': dropStopSignal,
  // Configurations of kubelets that the cluster distributes.
  'core.v1.NodeSpec': (spec) => void delete spec['configSource'],
  // Pods that are not scheduled where a driver is missing.
  'storage.v1.CSIDriverSpec': (spec) => void delete spec['preventPodSchedulingIfMissing'],
  // Groups of pods that are scheduled together.
  'core.v1.PodSpec': (spec) => void delete spec['schedulingGroup'],
  // Certificates in volumes.
  'core.v1.VolumeProjection': (source) => {
    delete source['clusterTrustBundle'];
    delete source['podCertificate'];
  },
};

/** Removes signals that stop containers. */
function dropStopSignal(container: Values): void {
  const { stopSignal, ...lifecycle } = mapping(container['lifecycle']);
  if (stopSignal === undefined) return;
  if (Object.keys(lifecycle).length > 0) container['lifecycle'] = lifecycle;
  else delete container['lifecycle'];
}
