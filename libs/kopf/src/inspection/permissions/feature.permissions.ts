import { CONFIGURATION_GROUP, CONFIGURATION_KINDS } from '../../admission/configuration/configuration.client.js';
import { groupBy } from 'kube-common';
import type { HandlerRegistry } from '../../registry/handler.registry.js';
import type { OperatorDescription } from '../description/operator.description.js';
import type { ServedScope } from '../description/served.scope.js';
import type { PermissionCollector } from './permission.collector.js';

/** An operator with the namespaces in which it works. */
export interface PlacedOperator extends Omit<OperatorDescription, 'needs' | 'routes'> {
  readonly scope: ServedScope;
  /** The namespace of the operator itself. */
  readonly home: string;
  /** Whether another component, such as cert-manager, makes the certificate of webhooks, so that its Secret is only read. */
  readonly isCertificateForeign: boolean;
}

/** Adds the permissions that the operator itself needs: for discovery, namespaces, coordination, and webhooks. */
export function addFeaturePermissions(collector: PermissionCollector, operator: PlacedOperator): void {
  addDiscovery(collector, operator);
  addDefinitions(collector, operator);
  addCoordination(collector, operator);
  addAdmission(collector, operator);
}

function addDiscovery(collector: PermissionCollector, { settings, scope }: PlacedOperator): void {
  const everywhere = { verbs: ['list', 'watch'], namespaces: [undefined] };
  if (scope.hasPatterns) {
    const purpose = 'to find the namespaces that the patterns select';
    collector.add({ ...everywhere, group: '', resource: 'namespaces', purpose });
  }
  if (scope.isNamespaced || settings.scanning.disabled) return;
  const purpose = 'to notice resources that come and go';
  collector.add({
    ...everywhere,
    group: 'apiextensions.k8s.io',
    resource: 'customresourcedefinitions',
    purpose,
  });
}

function addDefinitions(collector: PermissionCollector, { options, definitions }: PlacedOperator): void {
  const { crds = 'ignore' } = options;
  const mode = typeof crds === 'string' ? crds : crds.mode;
  if (mode === 'ignore' || definitions.length === 0) return;
  const group = 'apiextensions.k8s.io';
  const everywhere = { group, namespaces: [undefined] };
  const names = definitions.map(({ metadata }) => metadata.name);
  const resource = 'customresourcedefinitions';
  if (mode === 'verify') {
    collector.add({ ...everywhere, resource, verbs: ['get'], names, purpose: 'to compare the CRDs with the classes' });
    return;
  }
  collector.add({ ...everywhere, resource, verbs: ['create'], purpose: 'to create the CRDs of the classes' });
  const purpose = 'to bring the CRDs of the classes up to date';
  collector.add({ ...everywhere, resource, verbs: ['get', 'patch'], names, purpose });
  const migration = 'to store objects in the present version when an older one goes';
  collector.add({ ...everywhere, resource: `${resource}/status`, verbs: ['patch'], names, purpose: migration });
  for (const { spec } of definitions) {
    const objects = { group: spec.group, resource: spec.names.plural, namespaces: [undefined] };
    if (spec.versions.length > 1) collector.add({ ...objects, verbs: ['list', 'update'], purpose: migration });
  }
}

function addCoordination(collector: PermissionCollector, { options, settings, scope, home }: PlacedOperator): void {
  if (options.coordination === 'lease') {
    const { name, namespace } = settings.lease;
    const leases = { group: 'coordination.k8s.io', resource: 'leases', namespaces: [namespace ?? home] };
    collector.add({ ...leases, verbs: ['create'], purpose: 'to create the Lease of the leader election' });
    collector.add({ ...leases, verbs: ['get', 'update'], names: [name], purpose: 'to hold the Lease' });
    return;
  }
  const { standalone, clusterwide, name } = settings.peering;
  if (standalone) return;
  const isClusterwide = clusterwide ?? scope.isEverywhere;
  // An operator that serves all namespaces has no namespace for a namespaced peering object.
  if (!isClusterwide && scope.isEverywhere) return;
  collector.add({
    group: 'kopf.dev',
    resource: isClusterwide ? 'clusterkopfpeerings' : 'kopfpeerings',
    verbs: ['list', 'watch', 'patch'],
    names: [name],
    namespaces: isClusterwide ? [undefined] : scope.namespaces,
    purpose: 'to know of other operators, as peering is on',
  });
}

function addAdmission(
  collector: PermissionCollector,
  { handlers, settings, server, home, isCertificateForeign }: PlacedOperator,
): void {
  const { managed, keepForeign } = settings.admission;
  const all = handlers.allAdmission();
  if (managed) {
    for (const [kind, { plural: resource }] of Object.entries(CONFIGURATION_KINDS)) {
      const sources = all.filter((handler) => handler.kind === kind).map(({ source }) => source);
      const common = { group: CONFIGURATION_GROUP, resource, namespaces: [undefined], sources };
      const verbs = ['list', 'watch', 'patch', ...(keepForeign ? ['get'] : [])];
      if (sources.length > 0) {
        collector.add({ ...common, verbs: ['create'], purpose: 'to create the configuration of webhooks' });
        collector.add({ ...common, verbs, names: [managed], purpose: 'to keep the configuration of webhooks' });
      } else {
        // The webhooks of earlier releases must be removed.
        const purpose = 'to remove the webhooks of earlier versions';
        collector.add({ ...common, verbs: keepForeign ? ['get', 'patch'] : ['patch'], names: [managed], purpose });
      }
    }
  }
  if (managed) addConversions(collector, handlers, settings.admission.releaseConversions);
  const { secret } = server ?? {};
  if (!secret) return;
  const secrets = { group: '', resource: 'secrets', namespaces: [secret.namespace ?? home] };
  if (isCertificateForeign) {
    const purpose = 'to read the certificate of webhooks';
    collector.add({ ...secrets, verbs: ['get'], names: [secret.name], purpose });
    return;
  }
  collector.add({ ...secrets, verbs: ['create'], purpose: 'to create the Secret with the certificate of webhooks' });
  collector.add({
    ...secrets,
    verbs: ['get', 'update'],
    names: [secret.name],
    purpose: 'to share the certificate of webhooks among replicas',
  });
}

function addConversions(collector: PermissionCollector, handlers: HandlerRegistry, isReleased: boolean): void {
  const definitions = groupBy(handlers.allConversions(), ({ definition }) => definition);
  for (const [name, group] of definitions) {
    // Without a class, the versions are those of the CRD in the cluster.
    const isRead = isReleased || group.every(({ declarations }) => declarations.length === 0);
    collector.add({
      group: 'apiextensions.k8s.io',
      resource: 'customresourcedefinitions',
      verbs: ['list', 'watch', 'patch', ...(isRead ? ['get'] : [])],
      names: [name],
      namespaces: [undefined],
      purpose: 'to keep the conversion webhook of the CRD',
      sources: group.map(({ source }) => source),
    });
  }
}
