import type { KubeObject } from 'nestjs-kopf';
import { groupOf, isBuiltInGroup } from 'nestjs-kopf/tooling';

/** Field managers that are components of a cluster. */
const COMPONENTS = /^(kube-[\w-]+|cloud-controller-manager|kubelet|[\w.-]*-provisioner|csi-[\w-]+)$/;
/** The kinds that controllers of Kubernetes create, by the kinds of their owners. */
const CHILDREN: Readonly<Record<string, readonly string[]>> = {
  Deployment: ['ReplicaSet'],
  ReplicaSet: ['Pod'],
  ReplicationController: ['Pod'],
  StatefulSet: ['Pod', 'ControllerRevision'],
  DaemonSet: ['Pod', 'ControllerRevision'],
  Job: ['Pod'],
  CronJob: ['Job'],
  Service: ['EndpointSlice'],
};
/** The time in the name of a job of a CronJob. */
const SCHEDULED = /-\d{8,}$/;
const JOB_NAME = 'batch.kubernetes.io/job-name';
const TEMPLATE_HASH = 'pod-template-hash';

/** A controller of Kubernetes fills in these fields, and the API server allocates them. Clients may set some of them, too. */
const DRAWN =
  /^\.(spec\.(nodeName|volumeName|clusterIPs?|healthCheckNodePort|claimRef\.resourceVersion)|spec\.ports\.nodePort|status\.(hostIPs?|podIPs?|loadBalancer|currentRevision|updateRevision|collisionCount|message|resourceClaimStatuses)|status\.conditions\.(message|reason)|status\.(init|ephemeral)?[cC]ontainerStatuses\.(containerID|imageID)|subsets|metadata\.annotations\.(deployment|pv|volume|volume\.beta|endpoints)\.kubernetes\.io\/.*|metadata\.annotations\.deprecated\.daemonset\..*)(\.|$)/;

type Tree = Readonly<Record<string, unknown>>;

interface ManagedFields {
  readonly manager?: string;
  readonly subresource?: string;
  readonly fieldsV1?: Tree;
}

/** Whether the kind of an object comes with Kubernetes. */
export function isBuiltIn({ apiVersion = '' }: KubeObject): boolean {
  return isBuiltInGroup(groupOf(apiVersion));
}

/**
 * The purpose of an object that a controller of Kubernetes has created, for another object: `Pod of Deployment default/a`. Its name and the number of
 * such objects are up to the controller. Absent for other objects, also those that an operator has created for such an owner.
 */
export function purposeOf(object: KubeObject): string | undefined {
  if (!isBuiltIn(object)) return undefined;
  const owner = ownerOf(object);
  if (owner === undefined || !managersOf(object).some(isCreator)) return undefined;
  return `${object.kind} of ${owner}`;
}

/** Whether an object that has a purpose exists only for a while, or as the history of its owner. */
export function isHistory({ kind, spec }: KubeObject, purpose: string): boolean {
  const { replicas } = (spec ?? {}) as { readonly replicas?: unknown };
  return kind === 'ControllerRevision' || (kind === 'ReplicaSet' && replicas === 0) || purpose.includes(' of CronJob ');
}

/** Finds the fields of an object that clients set, rather than components of the cluster. */
export class ClientFields {
  private readonly paths = new Set<string>();

  constructor(object: KubeObject) {
    for (const { manager = '', fieldsV1 } of managersOf(object)) {
      if (!COMPONENTS.test(manager) && fieldsV1) this.add(fieldsV1, '');
    }
  }

  /** Whether a client has set a field. @param path such as `.spec.ports[0].nodePort` */
  has(path: string): boolean {
    if (this.paths.size === 0) return false;
    const plain = withoutIndices(path);
    if (this.paths.has(plain)) return true;
    for (let end = plain.lastIndexOf('.'); end > 0; end = plain.lastIndexOf('.', end - 1)) {
      if (this.paths.has(plain.slice(0, end))) return true;
    }
    return false;
  }

  private add(tree: Tree, path: string): void {
    const members = Object.entries(tree).filter(([key]) => key !== '.');
    if (members.length === 0) this.paths.add(path);
    for (const [key, member] of members)
      this.add(member as Tree, key.startsWith('f:') ? `${path}.${key.slice(2)}` : path);
  }
}

/** Whether only the cluster can know the value of a field of a kind of Kubernetes, unless a client has set it. */
export function isDrawn(path: string): boolean {
  return DRAWN.test(withoutIndices(path));
}

function withoutIndices(path: string): string {
  return path.includes('[') ? path.replace(/\[[^\]]*\]/g, '') : path;
}

function managersOf({ metadata }: KubeObject): readonly ManagedFields[] {
  return ((metadata as { managedFields?: unknown }).managedFields ?? []) as readonly ManagedFields[];
}

/** Whether a component has written the object itself. */
function isCreator({ manager = '', subresource }: ManagedFields): boolean {
  return subresource === undefined && COMPONENTS.test(manager);
}

/** The object that an object is for, with its kind and namespace. */
function ownerOf(object: KubeObject): string | undefined {
  const { kind = '', metadata, spec } = object;
  const { namespace, labels = {} } = metadata;
  const prefix = namespace ? `${namespace}/` : '';
  if (kind === 'PersistentVolume') {
    const { claimRef } = (spec ?? {}) as {
      readonly claimRef?: { readonly namespace?: string; readonly name?: string };
    };
    return claimRef && `PersistentVolumeClaim ${claimRef.namespace}/${claimRef.name}`;
  }
  if (kind === 'Endpoints') return `Service ${prefix}${metadata.name}`;
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  // A pod stays behind a job that is deleted without its dependants.
  if (!owner && kind === 'Pod' && labels[JOB_NAME]) return `Job ${prefix}${labels[JOB_NAME]}`;
  if (!owner || !CHILDREN[owner.kind]?.includes(kind)) return undefined;
  const hash = labels[TEMPLATE_HASH];
  if (owner.kind === 'ReplicaSet' && hash && owner.name.endsWith(`-${hash}`)) {
    return `Deployment ${prefix}${owner.name.slice(0, -hash.length - 1)}`;
  }
  if (owner.kind === 'Job' && SCHEDULED.test(owner.name))
    return `CronJob ${prefix}${owner.name.replace(SCHEDULED, '')}`;
  return `${owner.kind} ${prefix}${owner.name}`;
}
