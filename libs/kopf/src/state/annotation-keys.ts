import type { KubeObject } from '../objects/kube-object.js';
import type { WarningCallback } from './storage-options.js';
import { isNameTooLong, createV1Key, createV2Key, NAME_LIMIT } from './key-forming.js';

/** The longest key of an annotation, with its prefix, that Kubernetes accepts. */
const KEY_LIMIT = 253;
/** Ids of sub-handlers come from data, so there is no end of them. */
const CACHE_LIMIT = 10_000;

interface FormedKeys {
  readonly readable: readonly string[];
  readonly writable: readonly string[];
}

/** Knows the annotations' keys of ids under one prefix; each id's keys are formed once. */
export class AnnotationKeys {
  private readonly formed = new Map<string, FormedKeys>();

  /**
   * @param prefix the domain-like part before the slash. Longer ones than 189 characters cause a warning,
   *   as the server refuses keys of more than 253 characters.
   * @param v1 whether the keys of older versions of Kopf (V1) are kept, too.
   * @throws TypeError if the prefix is empty.
   */
  constructor(
    readonly prefix: string,
    private readonly v1: boolean,
    onWarning?: WarningCallback,
  ) {
    if (!prefix) throw new TypeError('A storage in annotations needs a prefix.');
    if (prefix.length > KEY_LIMIT - NAME_LIMIT - 1) {
      onWarning?.(`The prefix of annotations is too long, objects can be impossible to patch: ${prefix}`);
    }
  }

  /** The keys under which the id's value can be found in this object, the preferred one first. */
  readable(id: string, body: KubeObject): readonly string[] {
    return this.form(id, body).readable;
  }

  /** The keys under which the id's value is stored in this object: all but those that the server would refuse. */
  writable(id: string, body: KubeObject): readonly string[] {
    return this.form(id, body).writable;
  }

  private form(id: string, body: KubeObject): FormedKeys {
    const raw = isReplicaSetOfDeployment(body) ? `${id}-ofDRS` : id;
    let keys = this.formed.get(raw);
    if (!keys) {
      if (this.formed.size >= CACHE_LIMIT) this.formed.clear();
      this.formed.set(raw, (keys = formKeys(this.prefix, raw, this.v1)));
    }
    return keys;
  }
}

/** Forms all keys of an id under a prefix, without regard to what the object is. */
export function formKeys(prefix: string, id: string, v1: boolean): FormedKeys {
  const v2Key = createV2Key(prefix, id);
  const v1Key = v1 ? createV1Key(prefix, id) : v2Key;
  if (v1Key === v2Key) return { readable: [v2Key], writable: [v2Key] };
  return { readable: [v2Key, v1Key], writable: isNameTooLong(v1Key) ? [v2Key] : [v2Key, v1Key] };
}

/** Deployments copy their annotations to their replica sets, and would overwrite the state of those. */
function isReplicaSetOfDeployment(body: KubeObject): boolean {
  if (body.kind !== 'ReplicaSet') return false;
  return body.metadata?.ownerReferences?.some((owner) => owner.kind === 'Deployment') ?? false;
}
