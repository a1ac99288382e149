import type { Controller } from './controller.js';
import { PolicyStatusController, type PolicyCheck } from './policy-status.controller.js';
import { GarbageCollector } from './garbage.collector.js';
import { JobController } from './workloads/job.controller.js';
import { NamespaceController } from './namespace.controller.js';
import { rootCertificateController, serviceAccountController } from './namespaced-object.keeper.js';
import { ResourceQuotaController } from './resource-quota.controller.js';
import { RoleAggregator } from './role.aggregator.js';
import { EndpointSliceMirroringController } from './network/endpoint-slice-mirroring.controller.js';
import { EndpointSliceController } from './network/endpoint-slice.controller.js';
import { EndpointsController } from './network/endpoints.controller.js';
import { ServiceCidrController } from './network/service-cidr.controller.js';
import { VolumeProtectionController } from './volume-protection.controller.js';
import { CronJobController } from './workloads/cronjob.controller.js';
import { DaemonSetController } from './workloads/daemonset.controller.js';
import { DeploymentController } from './workloads/deployment.controller.js';
import { DisruptionController } from './workloads/disruption.controller.js';
import { REPLICA_SETS, ReplicaController, REPLICATION_CONTROLLERS } from './workloads/replica.controller.js';
import { StatefulSetController } from './workloads/statefulset.controller.js';

/** The names of the controllers, as in the real controller manager. */
export type BuiltinControllerName =
  | 'clusterrole-aggregation-controller'
  | 'cronjob-controller'
  | 'daemonset-controller'
  | 'deployment-controller'
  | 'disruption-controller'
  | 'endpoints-controller'
  | 'endpointslice-controller'
  | 'endpointslice-mirroring-controller'
  | 'garbage-collector-controller'
  | 'job-controller'
  | 'namespace-controller'
  | 'persistentvolume-protection-controller'
  | 'replicaset-controller'
  | 'replicationcontroller-controller'
  | 'resourcequota-controller'
  | 'root-ca-certificate-publisher-controller'
  | 'service-cidr-controller'
  | 'serviceaccount-controller'
  | 'statefulset-controller'
  | 'validatingadmissionpolicy-status-controller';

/** The dependencies of the server's own controllers. */
export interface BuiltinControllerContext {
  /** The certificate of the server's authority; absent if only the same process is served. */
  readonly caCertificate?: string;
  /** Finds which expressions of a ValidatingAdmissionPolicy do not fit the types of objects. */
  readonly checkPolicy?: PolicyCheck;
  /** The delay of the garbage collector in seconds, called for each object. @default none */
  readonly garbageCollectionDelay?: () => number;
}

/** The factories of the server's own controllers, in the order in which they start; `undefined` stands for a controller without work. */
export const BUILTIN_CONTROLLERS: Readonly<
  Record<BuiltinControllerName, (context: BuiltinControllerContext) => Controller | undefined>
> = {
  'serviceaccount-controller': () => serviceAccountController(),
  'root-ca-certificate-publisher-controller': ({ caCertificate }) =>
    caCertificate === undefined ? undefined : rootCertificateController(caCertificate),
  'garbage-collector-controller': ({ garbageCollectionDelay }) => new GarbageCollector(garbageCollectionDelay),
  'namespace-controller': () => new NamespaceController(),
  'persistentvolume-protection-controller': () => new VolumeProtectionController(),
  'clusterrole-aggregation-controller': () => new RoleAggregator(),
  'resourcequota-controller': () => new ResourceQuotaController(),
  'replicaset-controller': () => new ReplicaController(REPLICA_SETS),
  'replicationcontroller-controller': () => new ReplicaController(REPLICATION_CONTROLLERS),
  'deployment-controller': () => new DeploymentController(),
  'statefulset-controller': () => new StatefulSetController(),
  'daemonset-controller': () => new DaemonSetController(),
  'endpoints-controller': () => new EndpointsController(),
  'endpointslice-controller': () => new EndpointSliceController(),
  'endpointslice-mirroring-controller': () => new EndpointSliceMirroringController(),
  'service-cidr-controller': () => new ServiceCidrController(),
  'disruption-controller': () => new DisruptionController(),
  'job-controller': () => new JobController(),
  'cronjob-controller': () => new CronJobController(),
  'validatingadmissionpolicy-status-controller': ({ checkPolicy }) =>
    checkPolicy && new PolicyStatusController(checkPolicy),
};

/** Makes the controllers that are switched on. */
export function builtinControllers(
  switches: BuiltinControllerSwitches = true,
  context: BuiltinControllerContext = {},
): Controller[] {
  const names = Object.keys(BUILTIN_CONTROLLERS) as BuiltinControllerName[];
  const isOn = (name: BuiltinControllerName): boolean =>
    typeof switches === 'boolean' ? switches : (switches[name] ?? true);
  return names.filter(isOn).flatMap((name) => BUILTIN_CONTROLLERS[name](context) ?? []);
}

/** All of the server's own controllers, none of them, or all but those that are `false`. */
export type BuiltinControllerSwitches = boolean | Readonly<Partial<Record<BuiltinControllerName, boolean>>>;

/**
 * Reads the flag of the real controller manager: `*` for all, `name` for one, `-name` for all but one.
 *
 * @throws TypeError if there is no controller of a name
 * @example parseControllers('*,-deployment-controller')
 */
export function parseControllers(text: string): BuiltinControllerSwitches {
  const parts = text.split(',').filter(Boolean);
  const names = Object.keys(BUILTIN_CONTROLLERS) as BuiltinControllerName[];
  const unknown = parts.find((part) => part !== '*' && !names.some((name) => name === part.replace(/^-/, '')));
  if (unknown) throw new TypeError(`--controllers: ${JSON.stringify(unknown)} is none of ${names.join(', ')}`);
  const isOn = (name: string): boolean => !parts.includes(`-${name}`) && (parts.includes('*') || parts.includes(name));
  return Object.fromEntries(names.map((name) => [name, isOn(name)]));
}
