/** The groups of Kubernetes whose names are domains. Custom resources have such names, too, also in domains below `k8s.io`. */
const DOMAINS: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
  // Metrics servers serve these groups, through the API server.
  'metrics.k8s.io',
  'custom.metrics.k8s.io',
  'external.metrics.k8s.io',
]);

/** Checks whether a group is served without any CRD, like the groups of Kubernetes itself: `apps`, `networking.k8s.io`. */
export function isBuiltInGroup(group: string): boolean {
  return !group.includes('.') || DOMAINS.has(group);
}
