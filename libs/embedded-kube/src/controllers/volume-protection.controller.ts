import { attributesClassNames } from '../kinds/attributes-class.names.js';
import type { KubeObject } from '../resources/kube-object.js';
import type { Controller, ControllerContext, ObjectEvent, ResourceId } from './controller.js';
import { ignoringGone, objectKey, splitKey, WorkQueue } from './work.queue.js';

const CLAIMS: ResourceId = { group: '', plural: 'persistentvolumeclaims' };
const VOLUMES: ResourceId = { group: '', plural: 'persistentvolumes' };
const PODS: ResourceId = { group: '', plural: 'pods' };
const CLASSES: ResourceId = { group: 'storage.k8s.io', plural: 'volumeattributesclasses' };
const CLAIM_FINALIZER = 'kubernetes.io/pvc-protection';
const VOLUME_FINALIZER = 'kubernetes.io/pv-protection';
const CLASS_FINALIZER = 'kubernetes.io/vac-protection';

/**
 * The controller of the finalizers that protect volumes and claims: it restores removed ones. Deleted claims go once no scheduled pod names
 * them, deleted volumes once they are not bound, and deleted classes of volume attributes once no claim and no volume names them.
 */
export class VolumeProtectionController implements Controller {
  readonly name = 'volume-protection';
  private context: ControllerContext;
  private claims: WorkQueue;
  private volumes: WorkQueue;
  private classes: WorkQueue;
  private unwatch: (() => void)[] = [];

  start(context: ControllerContext): void {
    this.context = context;
    this.claims = new WorkQueue(this.name, (key) => this.processClaim(key), context);
    this.volumes = new WorkQueue(this.name, (key) => this.processVolume(key), context);
    this.classes = new WorkQueue(this.name, (key) => this.processClass(key), context);
    const { client } = context;
    this.unwatch = [
      client.watch(CLAIMS, (event) => this.observeUser(this.claims, event, CLAIM_FINALIZER)),
      client.watch(VOLUMES, (event) => this.observeUser(this.volumes, event, VOLUME_FINALIZER)),
      client.watch(CLASSES, ({ object }) => this.observe(this.classes, object, CLASS_FINALIZER)),
      client.watch(PODS, (event) => this.observePod(event)),
    ];
    for (const claim of client.list(CLAIMS)) this.observe(this.claims, claim, CLAIM_FINALIZER);
    for (const volume of client.list(VOLUMES)) this.observe(this.volumes, volume, VOLUME_FINALIZER);
    for (const each of client.list(CLASSES)) this.observe(this.classes, each, CLASS_FINALIZER);
  }

  async stop(): Promise<void> {
    for (const unwatch of this.unwatch) unwatch();
    await Promise.all([this.claims?.stop(), this.volumes?.stop(), this.classes?.stop()]);
  }

  private observe(queue: WorkQueue, object: KubeObject, finalizer: string): void {
    if (object.metadata.deletionTimestamp || isUnmarked(object, finalizer)) queue.add(objectKey(object));
  }

  private observeUser(queue: WorkQueue, { type, object, previous }: ObjectEvent, finalizer: string): void {
    this.observe(queue, object, finalizer);
    // The classes that it names no more may go now.
    const left = type === 'DELETED' ? object : previous;
    for (const name of left ? attributesClassNames(left) : []) this.classes.add(`/${name}`);
  }

  private observePod({ type, object }: ObjectEvent): void {
    if (type !== 'DELETED') return;
    for (const name of claimNames(object)) this.claims.add(`${object.metadata.namespace}/${name}`);
  }

  private async processClaim(key: string): Promise<void> {
    const [namespace, name] = splitKey(key);
    const claim = this.context.client.get(CLAIMS, namespace, name);
    if (!claim) return;
    if (!claim.metadata.deletionTimestamp) return this.mark(CLAIMS, claim, CLAIM_FINALIZER);
    const pods = this.context.client.list(PODS, namespace);
    const isUsed = pods.some((pod) => {
      return (pod.spec as { nodeName?: string } | undefined)?.nodeName && claimNames(pod).includes(name);
    });
    if (!isUsed) await this.release(CLAIMS, claim, CLAIM_FINALIZER);
  }

  private async processVolume(key: string): Promise<void> {
    const [, name] = splitKey(key);
    const volume = this.context.client.get(VOLUMES, undefined, name);
    if (!volume) return;
    if (!volume.metadata.deletionTimestamp) return this.mark(VOLUMES, volume, VOLUME_FINALIZER);
    const { phase } = (volume.status ?? {}) as { phase?: string };
    if (phase !== 'Bound') await this.release(VOLUMES, volume, VOLUME_FINALIZER);
  }

  private async processClass(key: string): Promise<void> {
    const [, name] = splitKey(key);
    const { client } = this.context;
    const found = client.get(CLASSES, undefined, name);
    if (!found) return;
    if (!found.metadata.deletionTimestamp) return this.mark(CLASSES, found, CLASS_FINALIZER);
    const isUsed = [CLAIMS, VOLUMES].some((each) => {
      return client.list(each).some((user) => attributesClassNames(user).includes(name));
    });
    if (!isUsed) await this.release(CLASSES, found, CLASS_FINALIZER);
  }

  private async mark(resource: ResourceId, object: KubeObject, finalizer: string): Promise<void> {
    if (!isUnmarked(object, finalizer)) return;
    const { resourceVersion, namespace, name = '', finalizers = [] } = object.metadata;
    const patch = { metadata: { resourceVersion, finalizers: [...finalizers, finalizer] } };
    await ignoringGone(this.context.client.patch(resource, namespace, name, patch));
  }

  private async release(resource: ResourceId, { metadata }: KubeObject, finalizer: string): Promise<void> {
    if (!metadata.finalizers?.includes(finalizer)) return;
    const finalizers = metadata.finalizers.filter((each) => each !== finalizer);
    const { resourceVersion, namespace, name = '' } = metadata;
    const patch = { metadata: { resourceVersion, finalizers: finalizers.length ? finalizers : null } };
    await ignoringGone(this.context.client.patch(resource, namespace, name, patch));
  }
}

function isUnmarked({ metadata }: KubeObject, finalizer: string): boolean {
  return !metadata.finalizers?.includes(finalizer);
}

/** Returns the names of the volume claims that a pod mounts. */
function claimNames(pod: KubeObject): string[] {
  const { volumes = [] } = (pod.spec ?? {}) as { volumes?: { persistentVolumeClaim?: { claimName?: string } }[] };
  return volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
}
