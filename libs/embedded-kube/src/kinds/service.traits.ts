import { mapping } from '../common/json.values.js';
import { label } from '../resources/name.rules.js';
import type { Draft, KubeObject } from '../resources/kube-object.js';
import type { BuiltinTraits } from './builtin.strategy.js';
import { countOf, itemsOf, isSameContent, type Values } from './validation/field.report.js';
import { validateServiceStatus } from './validation/networking/load-balancer.validation.js';
import { ruledBy, ruledBySpec } from './validation/kind.rules.js';
import { validateService, validateServiceAnnotations } from './validation/networking/service.validation.js';

/** The traits of services, which lose the fields that their type does not use, as far as a request leaves them as they were. */
export const SERVICE_TRAITS: BuiltinTraits = {
  nameRule: label,
  returnsDeleted: true,
  prepareForCreate: dropPolicy,
  prepareForUpdate: (draft, previous) => {
    dropUnused(draft, previous);
    dropPolicy(draft);
  },
  validate: (object, previous, subresource) =>
    subresource === 'status'
      ? ruledBy(validateServiceStatus)(object, previous)
      : [...ruledBy(validateServiceAnnotations)(object, previous), ...ruledBySpec(validateService)(object, previous)],
};

/** Removes the traffic policy of names of other domains, which have no traffic inside the cluster. Invalid values stay, to be rejected. */
function dropPolicy(draft: Draft): void {
  const { internalTrafficPolicy, ...spec } = mapping(draft['spec']);
  if (spec['type'] === 'ExternalName' && ['Cluster', 'Local'].includes(String(internalTrafficPolicy)))
    draft['spec'] = spec;
}

function dropUnused(draft: Draft, previous: KubeObject): void {
  const spec: Record<string, unknown> = { ...mapping(draft['spec']) };
  const old = mapping(previous['spec']);
  draft['spec'] = spec;
  const isUnused = (needs: (spec: Values) => boolean): boolean => needs(old) && !needs(spec);
  const drop = (...fields: string[]): void => {
    if (fields.every((field) => isSameContent(spec[field], old[field]))) for (const field of fields) delete spec[field];
  };
  if (isUnused(({ type }) => type !== 'ExternalName')) {
    drop('clusterIP', 'clusterIPs');
    drop('ipFamilies');
    drop('ipFamilyPolicy');
  }
  if (isUnused(({ type }) => type === 'NodePort' || type === 'LoadBalancer')) dropPorts(spec, old);
  if (isUnused(needsCheck)) drop('healthCheckNodePort');
  if (isUnused(({ type }) => type === 'LoadBalancer')) {
    drop('allocateLoadBalancerNodePorts');
    drop('loadBalancerClass');
  }
  if (isUnused(isReachable)) drop('externalTrafficPolicy');
  if (spec['type'] !== 'LoadBalancer' && mapping(draft['status'])['loadBalancer'] !== undefined) {
    draft['status'] = { ...mapping(draft['status']), loadBalancer: {} };
  }
}

function dropPorts(spec: Record<string, unknown>, old: Values): void {
  const before = new Set(itemsOf(old['ports']).map(({ nodePort }) => nodePort));
  const ports = itemsOf(spec['ports']);
  if (ports.length === 0 || ports.some(({ nodePort }) => nodePort && !before.has(nodePort))) return;
  spec['ports'] = ports.map(({ nodePort: _, ...port }) => port);
}

function needsCheck({ type, externalTrafficPolicy }: Values): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local';
}

function isReachable({ type, externalIPs }: Values): boolean {
  return type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && countOf(externalIPs) > 0);
}
