import type { KubeApi } from '../../../client/api/api.client.js';
import type { KubeObject } from '../../../objects/kube-object.js';
import { isMap } from 'kube-common';
import { qualifiedName, resourceUrl, type Resource } from '../../../resources/resources.js';
import type { InspectedRelative } from '../../inspection.types.js';
import { referTo } from '../../objects/object.reference.js';

/** The most resources whose objects are searched for children, and the most objects of each. */
const LIMITS = { resources: 20, objects: 500 };

/** An owner reference as the object has it, whose fields may be missing. */
interface UncheckedOwner {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
}

/**
 * Finds the owners of an object, and its children among the objects of some resources, in the namespace of the object. Those that may not be listed
 * have none.
 *
 * @param resources the resources to search, of which the first twenty are searched.
 */
export async function readRelatives(
  api: KubeApi,
  resources: readonly Resource[],
  { metadata }: KubeObject,
  signal: AbortSignal,
): Promise<readonly InspectedRelative[]> {
  const unique = [...new Map(resources.map((each) => [qualifiedName(each), each])).values()];
  const { namespace, uid } = metadata;
  const owners = ownersOf(metadata).map((owner) => toOwner(owner, unique, namespace));
  const candidates = unique.filter((each) => each.namespaced || namespace === undefined).slice(0, LIMITS.resources);
  const found = await Promise.all(
    candidates.map(async (each): Promise<readonly InspectedRelative[]> => {
      try {
        const place = each.namespaced ? { namespace } : {};
        const url = resourceUrl(each, { ...place, query: { limit: LIMITS.objects } });
        const { items } = await api.list(url, { signal, retries: false });
        const children = items.filter((item) => ownersOf(item.metadata).some((owner) => owner.uid === uid));
        return children.map((child) => toChild(each, child));
      } catch {
        signal.throwIfAborted();
        return [];
      }
    }),
  );
  return [...owners, ...found.flat()];
}

/** Removes repeated relatives; the first one stays, which has the readiness. */
export function uniteRelatives(relatives: readonly InspectedRelative[]): readonly InspectedRelative[] {
  const found = new Map<string, InspectedRelative>();
  for (const each of relatives) {
    const { relation, resource, namespace = '', name } = each;
    const key = `${relation} ${resource} ${namespace}/${name}`;
    if (!found.has(key)) found.set(key, each);
  }
  return [...found.values()];
}

function ownersOf(metadata: object): readonly UncheckedOwner[] {
  const { ownerReferences } = metadata as { readonly ownerReferences?: unknown };
  return Array.isArray(ownerReferences) ? (ownerReferences as readonly UncheckedOwner[]) : [];
}

/** Creates the relative of an owner. If its resource is not watched, its kind in lower case stands for the plural, which is not known. */
function toOwner(
  { apiVersion = '', kind = '', name = '', uid }: UncheckedOwner,
  watched: readonly Resource[],
  namespace: string | undefined,
): InspectedRelative {
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  const resource = watched.find((each) => each.kind === kind && each.group === group);
  const place = resource?.namespaced === false ? {} : { namespace };
  const qualified = resource ? qualifiedName(resource) : qualifiedName({ group, plural: kind.toLowerCase() });
  return { relation: 'owner', resource: qualified, kind, ...place, name, uid };
}

function toChild(resource: Resource, { metadata, status }: KubeObject): InspectedRelative {
  const ready = readReadiness(status);
  return { relation: 'child', ...referTo(resource, metadata), ...(ready !== undefined && { ready }) };
}

/** Reads the condition `Ready` or `Available`. */
function readReadiness(status: unknown): boolean | undefined {
  const conditions = isMap(status) && Array.isArray(status.conditions) ? (status.conditions as unknown[]) : [];
  for (const type of ['Ready', 'Available']) {
    const condition = conditions.find((each) => isMap(each) && each.type === type);
    if (isMap(condition)) return condition.status === 'True';
  }
  return undefined;
}
