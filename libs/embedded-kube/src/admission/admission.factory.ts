import type { Random } from 'kube-common';
import { AdmissionChain } from './admission.chain.js';
import type { AdmissionPlugin } from './admission.plugin.js';
import { CertificateRequestPlugin } from './certificate-request.plugin.js';
import { ClaimResizePlugin } from './claim-resize.plugin.js';
import { DefaultTolerationsPlugin } from './default-tolerations.plugin.js';
import { DeviceAccessPlugin } from './device-access.plugin.js';
import { LimitRangePlugin } from './limit-range.plugin.js';
import { NamespaceLifecyclePlugin } from './namespace-lifecycle.plugin.js';
import { NodeTaintPlugin } from './node-taint.plugin.js';
import { OwnerReferencePermissionsPlugin } from './owner-reference-permissions.plugin.js';
import { PodSecurityPlugin } from './pod-security/pod-security.plugin.js';
import { type PolicyAdmissionParts, policyPlugins } from './policies/policy-admission.js';
import { PriorityPlugin } from './priority.plugin.js';
import { ResourceQuotaPlugin } from './resource-quota.plugin.js';
import { RuntimeClassPlugin } from './runtime-class.plugin.js';
import { ServiceAccountPlugin } from './service-account.plugin.js';
import { ServiceAddressPlugin } from './services/service-address.plugin.js';
import { StorageProtectionPlugin } from './storage-protection.plugin.js';
import { type WebhookParts, webhookPlugins } from './webhooks/webhook-admission.js';

/** The dependencies of admission. */
export interface AdmissionParts extends WebhookParts, PolicyAdmissionParts {
  readonly random: Random;
  /** The names of plugins that are on besides those that are on in a new cluster. */
  readonly enabled: readonly string[];
  /** Further plugins; quotas are counted after them. */
  readonly plugins: readonly AdmissionPlugin[];
  /** Whether nodes, pods and volumes are simulated: otherwise new nodes have the taint of those that are not ready yet. */
  readonly simulatesPods: boolean;
}

/**
 * Creates the chain of all plugins, in the order of a real server.
 *
 * @throws Error if there is no plugin of an enabled name
 */
export function createAdmission(parts: AdmissionParts): AdmissionChain {
  const { store, clock, random, identities, registry, authorizer } = parts;
  const policies = policyPlugins(parts);
  const owners = new OwnerReferencePermissionsPlugin(registry, authorizer);
  const plugins = [
    new NamespaceLifecyclePlugin(store),
    new DeviceAccessPlugin(store),
    new LimitRangePlugin(store),
    new ServiceAccountPlugin(store, identities, clock),
    ...(parts.simulatesPods ? [] : [new NodeTaintPlugin()]),
    new PodSecurityPlugin(store),
    new DefaultTolerationsPlugin(),
    new PriorityPlugin(store),
    new StorageProtectionPlugin(),
    ...(parts.enabled.includes(owners.name) ? [owners] : []),
    new ClaimResizePlugin(store, parts.simulatesPods),
    new RuntimeClassPlugin(store),
    new CertificateRequestPlugin(clock),
    policies.mutating,
    policies.validating,
    ...webhookPlugins(parts),
    ...parts.plugins,
    new ServiceAddressPlugin(store, random),
    new ResourceQuotaPlugin(store, clock),
  ];
  const names = new Set<string>([...plugins, owners].map(({ name }) => name));
  const unknown = parts.enabled.find((name) => !names.has(name));
  if (unknown !== undefined) {
    throw new Error(`The admission plugin ${unknown} does not exist here; these do: ${[...names].sort().join(', ')}`);
  }
  return new AdmissionChain(plugins);
}
