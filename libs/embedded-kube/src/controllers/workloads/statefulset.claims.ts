import { jsonEqual } from '../../common/json.values.js';
import type { KubeObject, OwnerReference } from '../../resources/kube-object.js';
import type { ControllerClient, ResourceId } from '../controller.js';
import type { EventRecorder } from '../event.recorder.js';
import { ignoringGone } from '../work.queue.js';
import { claimName, setSpec } from './statefulset.pods.js';
import { messageOf } from './workload.pods.js';

const CLAIMS: ResourceId = { group: '', plural: 'persistentvolumeclaims' };

/** The creation of the claims of stateful pods, and the deletion of those that the retention policy does not keep. */
export class ClaimKeeper {
  constructor(
    private readonly client: ControllerClient,
    private readonly events: EventRecorder,
  ) {}

  /**
   * Brings the claims of one ordinal in line.
   *
   * @param isWanted false for a pod that is scaled away: its claims are deleted where the policy says so
   */
  async keep(set: KubeObject, ordinal: number, pod: KubeObject | undefined, isWanted: boolean): Promise<void> {
    const { volumeClaimTemplates = [], selector } = setSpec(set);
    for (const template of volumeClaimTemplates) {
      const name = claimName(template, set, ordinal);
      const claim = this.client.get(CLAIMS, set.metadata.namespace, name);
      if (claim) await this.setOwner(set, claim, pod, isWanted);
      else if (isWanted) await this.create(set, ordinal, name, template, selector?.matchLabels ?? {});
    }
  }

  private async create(
    set: KubeObject,
    ordinal: number,
    name: string,
    template: KubeObject,
    matchLabels: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { labels, annotations } = template.metadata;
    const owners = this.ownersOf(set, undefined, true);
    const metadata = {
      name,
      labels: { ...labels, ...matchLabels },
      ...(annotations && { annotations }),
      ...(owners.length && { ownerReferences: owners }),
    };
    const subject = `Claim ${name} Pod ${set.metadata.name}-${ordinal} in StatefulSet ${set.metadata.name}`;
    try {
      await this.client.create(CLAIMS, set.metadata.namespace, { metadata, spec: template.spec });
    } catch (error) {
      await this.events.warning(set, 'FailedCreate', `Create ${subject} failed error: ${messageOf(error)}`);
      throw error;
    }
    await this.events.normal(set, 'SuccessfulCreate', `Create ${subject} success`);
  }

  private async setOwner(
    set: KubeObject,
    claim: KubeObject,
    pod: KubeObject | undefined,
    isWanted: boolean,
  ): Promise<void> {
    const { ownerReferences = [], namespace, name = '', uid } = claim.metadata;
    const isForeign = ({ kind, uid: owner }: OwnerReference): boolean =>
      owner !== set.metadata.uid && !(kind === 'Pod' && owner === pod?.metadata.uid);
    const owners = [...ownerReferences.filter(isForeign), ...this.ownersOf(set, pod, isWanted)];
    if (jsonEqual(owners, ownerReferences)) return;
    const patch = { metadata: { uid, ownerReferences: owners.length ? owners : null } };
    await ignoringGone(this.client.patch(CLAIMS, namespace, name, patch));
  }

  /** Returns the owners by which the garbage collector deletes a claim. */
  private ownersOf(set: KubeObject, pod: KubeObject | undefined, isWanted: boolean): OwnerReference[] {
    const { whenDeleted = 'Retain', whenScaled = 'Retain' } = setSpec(set).persistentVolumeClaimRetentionPolicy ?? {};
    if (!isWanted && whenScaled === 'Delete' && pod) {
      return [{ apiVersion: 'v1', kind: 'Pod', name: pod.metadata.name ?? '', uid: pod.metadata.uid ?? '' }];
    }
    const { name = '', uid = '' } = set.metadata;
    return whenDeleted === 'Delete'
      ? [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid, controller: true }]
      : [];
  }
}
