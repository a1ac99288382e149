import { parseJson } from 'kube-common';
import { jsonEqual, sortedJson } from '../../common/json.values.js';
import type { KubeObject } from '../../resources/kube-object.js';
import { ControlledObjects, type OwnerRelation, specSelector } from '../controlled.objects.js';
import type { ControllerClient, ResourceId } from '../controller.js';
import { ignoringGone } from '../work.queue.js';
import { templateHash } from './template.hash.js';
import type { PodTemplate } from './workload.pods.js';

const REVISIONS: ResourceId = { group: 'apps', plural: 'controllerrevisions' };

/** A stored template of a StatefulSet or a DaemonSet. */
export interface Revision extends KubeObject {
  readonly revision: number;
  readonly data: { readonly spec: { readonly template: PodTemplate } };
}

/** The owner of revisions: its resource and its kind, and the label that carries the hash. */
export interface RevisionOwner {
  readonly resource: ResourceId;
  readonly kind: string;
  readonly hashLabel: string;
}

/** The templates that a StatefulSet or a DaemonSet has had, as ControllerRevisions: `kubectl rollout history` and `undo` read them. */
export class RevisionHistory {
  private readonly revisions: ControlledObjects;

  constructor(
    private readonly client: ControllerClient,
    private readonly owner: RevisionOwner,
    changed: (ownerKey: string) => void,
  ) {
    const relation: OwnerRelation = {
      resource: REVISIONS,
      owner: owner.resource,
      ownerApiVersion: 'apps/v1',
      ownerKind: owner.kind,
      selectorOf: specSelector,
    };
    this.revisions = new ControlledObjects(client, relation, changed);
  }

  start(): () => void {
    return this.revisions.start();
  }

  /** Returns the revisions of an owner, the oldest first. */
  of(owner: KubeObject): Revision[] {
    return (this.revisions.of(owner) as Revision[]).toSorted((left, right) => left.revision - right.revision);
  }

  /** Returns the revision of the present template, which is the newest one from now on. */
  async latest(owner: KubeObject): Promise<Revision> {
    await this.revisions.claim(owner);
    const { template } = owner.spec as { template: PodTemplate };
    // Clients compare the text of a revision with their own, which has its members in alphabetical order.
    const data = parseJson(sortedJson({ spec: { template: { ...template, $patch: 'replace' } } }));
    const known = this.of(owner);
    const newest = known.at(-1);
    const equal = known.findLast((each) => jsonEqual(each.data, data));
    if (equal && equal === newest) return equal;
    const revision = (newest?.revision ?? 0) + 1;
    const { namespace, name = '' } = owner.metadata;
    if (equal) {
      const { uid, name: equalName = '' } = equal.metadata;
      return (await this.client.patch(REVISIONS, namespace, equalName, { metadata: { uid }, revision })) as Revision;
    }
    return this.create(name, namespace, { data, revision }, owner, template);
  }

  /** Deletes the oldest revisions beyond a limit that no pod uses. */
  async truncate(owner: KubeObject, limit: number, used: ReadonlySet<string | undefined>): Promise<void> {
    const unused = this.of(owner).filter(({ metadata }) => !used.has(metadata.name));
    for (const { metadata } of unused.slice(0, Math.max(0, unused.length - limit))) {
      await ignoringGone(this.client.delete(REVISIONS, metadata.namespace, metadata.name ?? ''));
    }
  }

  private async create(
    ownerName: string,
    namespace: string | undefined,
    content: object,
    owner: KubeObject,
    template: PodTemplate,
  ): Promise<Revision> {
    for (let collisions: number | undefined; ; collisions = (collisions ?? 0) + 1) {
      const hash = templateHash(template, collisions);
      const name = `${ownerName}-${hash}`;
      if (this.client.get(REVISIONS, namespace, name)) continue;
      const labels = { ...template.metadata?.labels, [this.owner.hashLabel]: hash };
      const ownerReferences = [this.revisions.referenceTo(owner)];
      const object = { metadata: { name, labels, ownerReferences }, ...content };
      return (await this.client.create(REVISIONS, namespace, object)) as Revision;
    }
  }
}
