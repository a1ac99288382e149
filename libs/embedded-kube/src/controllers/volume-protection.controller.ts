import type { KubeObject } from '../resources/kube-object.js';
import type { Controller, ControllerContext, ObjectEvent, ResourceId } from './controller.js';
import { ignoringGone, objectKey, splitKey, WorkQueue } from './work.queue.js';

const CLAIMS: ResourceId = { group: '', plural: 'persistentvolumeclaims' };
const VOLUMES: ResourceId = { group: '', plural: 'persistentvolumes' };
const PODS: ResourceId = { group: '', plural: 'pods' };
const CLAIM_FINALIZER = 'kubernetes.io/pvc-protection';
const VOLUME_FINALIZER = 'kubernetes.io/pv-protection';

/** Lets deleted claims go once no scheduled pod names them, and deleted volumes once they are not bound. */
export class VolumeProtectionController implements Controller {
  readonly name = 'volume-protection';
  private context: ControllerContext;
  private claims: WorkQueue;
  private volumes: WorkQueue;
  private unwatch: (() => void)[] = [];

  start(context: ControllerContext): void {
    this.context = context;
    this.claims = new WorkQueue(this.name, (key) => this.processClaim(key), context);
    this.volumes = new WorkQueue(this.name, (key) => this.processVolume(key), context);
    const { client } = context;
    this.unwatch = [
      client.watch(CLAIMS, ({ object }) => this.observe(this.claims, object)),
      client.watch(VOLUMES, ({ object }) => this.observe(this.volumes, object)),
      client.watch(PODS, (event) => this.observePod(event)),
    ];
    for (const claim of client.list(CLAIMS)) this.observe(this.claims, claim);
    for (const volume of client.list(VOLUMES)) this.observe(this.volumes, volume);
  }

  async stop(): Promise<void> {
    for (const unwatch of this.unwatch) unwatch();
    await Promise.all([this.claims?.stop(), this.volumes?.stop()]);
  }

  private observe(queue: WorkQueue, object: KubeObject): void {
    if (object.metadata.deletionTimestamp) queue.add(objectKey(object));
  }

  private observePod({ type, object }: ObjectEvent): void {
    if (type !== 'DELETED') return;
    for (const name of claimNames(object)) this.claims.add(`${object.metadata.namespace}/${name}`);
  }

  private async processClaim(key: string): Promise<void> {
    const [namespace, name] = splitKey(key);
    const claim = this.context.client.get(CLAIMS, namespace, name);
    if (!claim?.metadata.deletionTimestamp) return;
    const pods = this.context.client.list(PODS, namespace);
    const isUsed = pods.some((pod) => {
      return (pod.spec as { nodeName?: string } | undefined)?.nodeName && claimNames(pod).includes(name);
    });
    if (!isUsed) await this.release(CLAIMS, claim, CLAIM_FINALIZER);
  }

  private async processVolume(key: string): Promise<void> {
    const [, name] = splitKey(key);
    const volume = this.context.client.get(VOLUMES, undefined, name);
    if (!volume?.metadata.deletionTimestamp) return;
    const { phase } = (volume.status ?? {}) as { phase?: string };
    if (phase !== 'Bound') await this.release(VOLUMES, volume, VOLUME_FINALIZER);
  }

  private async release(resource: ResourceId, { metadata }: KubeObject, finalizer: string): Promise<void> {
    if (!metadata.finalizers?.includes(finalizer)) return;
    const finalizers = metadata.finalizers.filter((each) => each !== finalizer);
    const { resourceVersion, namespace, name = '' } = metadata;
    const patch = { metadata: { resourceVersion, finalizers: finalizers.length ? finalizers : null } };
    await ignoringGone(this.context.client.patch(resource, namespace, name, patch));
  }
}

/** The names of the volume claims that a pod mounts. */
function claimNames(pod: KubeObject): string[] {
  const { volumes = [] } = (pod.spec ?? {}) as { volumes?: { persistentVolumeClaim?: { claimName?: string } }[] };
  return volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
}
