import type { Controller, ControllerContext, ObjectEvent, ResourceId } from './controller.js';
import type { KubeObject } from '../resources/kube-object.js';
import { jsonEqual } from '../common/json.values.js';
import { ignoringGone, WorkQueue, objectKey, splitKey } from './work.queue.js';

const CLAIMS: ResourceId = { group: '', plural: 'persistentvolumeclaims' };
const VOLUMES: ResourceId = { group: '', plural: 'persistentvolumes' };
const PROVISIONER = 'embedded-kube/volumes';

interface ClaimSpec {
  readonly accessModes?: readonly string[];
  readonly resources?: { readonly requests?: { readonly storage?: string } };
  readonly storageClassName?: string;
  readonly volumeMode?: string;
  readonly volumeName?: string;
}

/**
 * The controller that gives every claim a volume of the size that it asks for, follows its growth, and deletes the volume with the claim.
 */
export class VolumeBinder implements Controller {
  readonly name = 'volume-binder';
  private context: ControllerContext;
  private queue: WorkQueue;
  private unwatch: () => void = () => undefined;

  start(context: ControllerContext): void {
    this.context = context;
    this.queue = new WorkQueue(this.name, (key) => this.process(key), context);
    this.unwatch = context.client.watch(CLAIMS, (event) => this.observe(event));
    for (const claim of context.client.list(CLAIMS)) this.queue.add(objectKey(claim));
  }

  async stop(): Promise<void> {
    this.unwatch();
    await this.queue?.stop();
  }

  private observe({ type, object }: ObjectEvent): void {
    // A deleted claim cannot be looked up any more, but the volume's name leads to it.
    if (type === 'DELETED') this.queue.add(`volume:/${specOf(object).volumeName ?? ''}`);
    else this.queue.add(objectKey(object));
  }

  private async process(key: string): Promise<void> {
    const [namespace, name] = splitKey(key);
    if (namespace === 'volume:') {
      await this.release(name);
      return;
    }
    const claim = this.context.client.get(CLAIMS, namespace, name);
    if (!claim || claim.metadata.deletionTimestamp) return;
    if (!specOf(claim).volumeName) await this.provide(claim);
    else await this.report(claim);
  }

  private async provide(claim: KubeObject): Promise<void> {
    const { name = '', namespace, uid = '' } = claim.metadata;
    const volumeName = `pvc-${uid}`;
    const { accessModes, storageClassName, volumeMode } = specOf(claim);
    if (!this.context.client.get(VOLUMES, undefined, volumeName)) {
      await this.context.client.create(VOLUMES, undefined, {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: volumeName, annotations: { 'pv.kubernetes.io/provisioned-by': PROVISIONER } },
        spec: {
          capacity: { storage: requested(claim) },
          accessModes,
          claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid },
          persistentVolumeReclaimPolicy: 'Delete',
          ...(storageClassName && { storageClassName }),
          ...(volumeMode && { volumeMode }),
          hostPath: { path: `/simulated/${volumeName}` },
        },
      });
      await this.context.client.patch(VOLUMES, undefined, volumeName, { status: { phase: 'Bound' } }, 'status');
    }
    const annotations = { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' };
    await ignoringGone(
      this.context.client.patch(CLAIMS, namespace, name, { metadata: { uid, annotations }, spec: { volumeName } }),
    );
  }

  private async report(claim: KubeObject): Promise<void> {
    const { accessModes, volumeName = '' } = specOf(claim);
    const { name = '', namespace, uid } = claim.metadata;
    const volume = this.context.client.get(VOLUMES, undefined, volumeName);
    if (!volume || (volume.spec as { claimRef?: { uid?: string } }).claimRef?.uid !== uid) return;
    const capacity = { storage: requested(claim) };
    if (!jsonEqual((volume.spec as { capacity?: object }).capacity, capacity)) {
      await this.context.client.patch(VOLUMES, undefined, volumeName, { spec: { capacity } });
    }
    const status = { phase: 'Bound', accessModes, capacity };
    const current = (claim.status ?? {}) as Record<string, unknown>;
    if (Object.entries(status).every(([field, value]) => jsonEqual(current[field], value))) return;
    await ignoringGone(this.context.client.patch(CLAIMS, namespace, name, { metadata: { uid }, status }, 'status'));
  }

  private async release(volumeName: string): Promise<void> {
    const volume = volumeName && this.context.client.get(VOLUMES, undefined, volumeName);
    if (!volume || volume.metadata.annotations?.['pv.kubernetes.io/provisioned-by'] !== PROVISIONER) return;
    await this.context.client.patch(VOLUMES, undefined, volumeName, { status: { phase: 'Released' } }, 'status');
    await ignoringGone(this.context.client.delete(VOLUMES, undefined, volumeName));
  }
}

function specOf(claim: KubeObject): ClaimSpec {
  return (claim.spec ?? {}) as ClaimSpec;
}

function requested(claim: KubeObject): string {
  return specOf(claim).resources?.requests?.storage ?? '0';
}
