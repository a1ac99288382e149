import { createHash } from 'node:crypto';
import { ApiNotFoundError, UnknownResourceError } from './api/api.errors.js';
import type { KubeObject } from '../objects/kube-object.js';
import { groupOf, type Resource } from '../resources/resources.js';
import type { ResourceReference } from './api/resource.resolver.js';
import type {
  KubeApplyOptions,
  KubeDeleteOptions,
  KubeListOptions,
  KubeObjectOptions,
  KubePatchOptions,
} from './kube.client.options.js';

/** The labels and annotations of the specification of ApplySets, which kubectl understands, too. */
const ID_LABEL = 'applyset.kubernetes.io/id';
const PART_LABEL = 'applyset.kubernetes.io/part-of';
const TOOLING = 'applyset.kubernetes.io/tooling';
const KINDS = 'applyset.kubernetes.io/contains-group-kinds';
const NAMESPACES = 'applyset.kubernetes.io/additional-namespaces';

/** The options of applying a set of objects. */
export interface ApplySetOptions {
  /** The name of the fields' owner. */
  readonly fieldManager: string;
  /** The tool that owns the set, which other tools respect: `name/version`. @default the field manager, as version 1 */
  readonly tooling?: string;
  /** Whether fields are taken over from other owners, so that their changes are reverted. @default true */
  readonly force?: boolean;
  readonly signal?: AbortSignal;
}

/** The result of applying a set. */
export interface ApplySetResult {
  /** The objects of the set as they are stored. */
  readonly applied: readonly KubeObject[];
  /** The former objects of the set; their deletion has begun. */
  readonly pruned: readonly KubeObject[];
}

/** The methods of the client that are used to apply a set. */
export interface ApplySetClient {
  resolve(reference: ResourceReference): Promise<Resource>;
  get(reference: ResourceReference, name: string, options: KubeObjectOptions): Promise<KubeObject>;
  apply(object: KubeObject, options: KubeApplyOptions): Promise<KubeObject>;
  patch(reference: ResourceReference, name: string, patch: object, options: KubePatchOptions): Promise<KubeObject>;
  delete(reference: ResourceReference, name: string, options: KubeDeleteOptions): Promise<void>;
  listAll(reference: ResourceReference, options: KubeListOptions): AsyncIterable<KubeObject>;
}

/** The kinds and namespaces in which a set has objects. */
interface Extent {
  readonly kinds: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
}

/**
 * One set of objects with its parent, by the specification of ApplySets: its members have a label with the id of the set, and annotations
 * of the parent list their kinds and namespaces, so that members can be found and pruned.
 */
export class ApplySet {
  readonly id: string;
  private readonly parent: { readonly apiVersion: string; readonly kind: string };
  private readonly name: string;
  private readonly namespace: string | undefined;
  private readonly uid: string | undefined;

  constructor(
    private readonly client: ApplySetClient,
    { apiVersion = '', kind = '', metadata }: KubeObject,
    private readonly options: ApplySetOptions,
  ) {
    const { name, namespace, uid } = metadata;
    if (!apiVersion || !kind || !name)
      throw new TypeError('The parent of a set needs an apiVersion, a kind, and a name.');
    this.parent = { apiVersion, kind };
    this.name = name;
    this.namespace = namespace;
    this.uid = uid;
    this.id = applySetId({ name, namespace, kind, group: groupOf(apiVersion) });
  }

  /** Applies the objects, and prunes the members that are not among them. Nothing is pruned if any object could not be applied. */
  async apply(objects: readonly KubeObject[]): Promise<ApplySetResult> {
    const { fieldManager, force = true, signal } = this.options;
    const wanted = await this.extentOf(objects);
    const before = await this.readExtent();
    // The parent must list the kinds and namespaces of all possible members, even if this call fails in between.
    await this.writeExtent({
      kinds: new Set([...before.kinds, ...wanted.kinds]),
      namespaces: new Set([...before.namespaces, ...wanted.namespaces]),
    });
    const applied: KubeObject[] = [];
    for (const object of objects) {
      const { metadata } = object;
      // A member that was given the labels of its parent may have the label of a parent, which is removed.
      const { [ID_LABEL]: _id, ...others } = metadata.labels ?? {};
      const labels = { ...others, [PART_LABEL]: this.id };
      const namespace = metadata.namespace ?? this.namespace;
      applied.push(
        await this.client.apply(
          { ...object, metadata: { ...metadata, labels } },
          { fieldManager, force, namespace, signal },
        ),
      );
    }
    const pruned = await this.prune(before, new Set(applied.map(({ metadata }) => metadata.uid)));
    await this.writeExtent(wanted);
    return { applied, pruned };
  }

  private async prune({ kinds, namespaces }: Extent, kept: ReadonlySet<string | undefined>): Promise<KubeObject[]> {
    const pruned: KubeObject[] = [];
    for (const kind of kinds) {
      const resource = await this.find(kind);
      if (!resource) continue;
      for (const namespace of resource.namespaced ? namespaces : [undefined]) {
        const query = { namespace, labelSelector: `${PART_LABEL}=${this.id}`, signal: this.options.signal };
        for await (const member of this.client.listAll(resource, query)) {
          if (kept.has(member.metadata.uid)) continue;
          if (pruned.length === 0) await this.readParent();
          await this.remove(resource, member);
          pruned.push(member);
        }
      }
    }
    return pruned;
  }

  private async remove(resource: Resource, { metadata }: KubeObject): Promise<void> {
    const { name, namespace, uid } = metadata;
    const { signal } = this.options;
    try {
      await this.client.delete(resource, name!, { namespace, preconditions: { uid }, signal });
    } catch (error) {
      if (!(error instanceof ApiNotFoundError)) throw error;
    }
  }

  /** Finds the resource of a kind. A kind whose CRD is gone has no objects left. */
  private async find(kind: string): Promise<Resource | undefined> {
    try {
      return await this.client.resolve(kind);
    } catch (error) {
      if (error instanceof UnknownResourceError) return undefined;
      throw error;
    }
  }

  private async extentOf(objects: readonly KubeObject[]): Promise<Extent> {
    const kinds = new Set<string>();
    const namespaces = new Set<string>();
    for (const { apiVersion = '', kind = '', metadata } of objects) {
      const resource = await this.client.resolve({ apiVersion, kind });
      kinds.add(resource.group ? `${kind}.${resource.group}` : kind);
      const namespace = metadata.namespace ?? this.namespace;
      if (resource.namespaced) namespaces.add(namespace ?? 'default');
    }
    return { kinds, namespaces };
  }

  private async readExtent(): Promise<Extent> {
    const { annotations = {}, labels = {} } = (await this.readParent()).metadata;
    const { tooling } = this;
    const owner = annotations[TOOLING];
    if (labels[ID_LABEL] !== undefined && owner !== undefined && nameOf(owner) !== nameOf(tooling)) {
      throw new Error(`The set of ${this.parent.kind} ${this.name} belongs to ${owner}, and not to ${tooling}.`);
    }
    const own = this.namespace === undefined ? [] : [this.namespace];
    return {
      kinds: new Set(split(annotations[KINDS])),
      namespaces: new Set([...own, ...split(annotations[NAMESPACES])]),
    };
  }

  private async writeExtent({ kinds, namespaces }: Extent): Promise<void> {
    const { labels = {}, annotations = {} } = (await this.readParent()).metadata;
    const others = [...namespaces].filter((namespace) => namespace !== this.namespace).sort();
    const wanted: Record<string, string | null> = {
      [TOOLING]: this.tooling,
      [KINDS]: [...kinds].sort().join(','),
      [NAMESPACES]: others.length > 0 ? others.join(',') : null,
    };
    const isSame = Object.entries(wanted).every(([key, value]) => (annotations[key] ?? null) === value);
    if (isSame && labels[ID_LABEL] === this.id) return;
    const { name, namespace, parent, options } = this;
    const patch = { metadata: { labels: { [ID_LABEL]: this.id }, annotations: wanted } };
    await this.client.patch(parent, name, patch, {
      namespace,
      fieldManager: options.fieldManager,
      signal: options.signal,
    });
  }

  /** Reads the parent. A parent that was recreated under the same name has the same id, but the members of the set do not belong to it. */
  private async readParent(): Promise<KubeObject> {
    const { name, namespace, uid, parent, options } = this;
    const found = await this.client.get(parent, name, { namespace, signal: options.signal });
    if (uid !== undefined && found.metadata.uid !== uid) {
      throw new Error(
        `${parent.kind} ${name} was made anew, so that the set of the one before is not applied any more.`,
      );
    }
    return found;
  }

  private get tooling(): string {
    const { tooling, fieldManager } = this.options;
    return tooling ?? `${fieldManager}/v1`;
  }
}

/** Computes the id of a parent's set by the specification. */
export function applySetId(parent: { name: string; namespace?: string; kind: string; group: string }): string {
  const { name, namespace = '', kind, group } = parent;
  const hash = createHash('sha256').update(`${name}.${namespace}.${kind}.${group}`).digest('base64url');
  return `applyset-${hash}-v1`;
}

/** Returns the name of a tool without its version. */
function nameOf(tooling: string): string {
  return tooling.split('/')[0];
}

function split(list: string | undefined): readonly string[] {
  return (list ?? '').split(',').filter((item) => item !== '');
}
