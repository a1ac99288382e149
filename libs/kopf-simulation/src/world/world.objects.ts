import type { KubeObject } from 'nestjs-kopf';
import type { ObjectReference } from 'nestjs-kopf/testing';
import type { RejectedPatchFault } from '../simulation.plan.js';
import type { SimulatedEffects, SimulatedState } from '../simulation.options.js';
import { baseNameOf } from '../oracles/final.state.js';
import { nameOfResource, type WorldChange, type WorldServer } from './world.server.js';

/** Resources whose objects are about the work of a cluster rather than its state. */
const TRANSIENT = /^(events(\.events\.k8s\.io)?|leases\.coordination\.k8s\.io|(cluster)?kopfpeerings\..*)$/;

/** The objects of a cluster, updated with each change. */
export class WorldObjects implements SimulatedState {
  private readonly objects = new Map<string, KubeObject>();

  constructor(readonly effects: SimulatedEffects) {}

  // Arrow functions, so that properties can destructure their argument.
  readonly list = <T extends KubeObject>(kind: string, namespace?: string): readonly T[] => {
    const isWanted = (object: KubeObject): boolean =>
      object.kind === kind && (namespace === undefined || object.metadata.namespace === namespace);
    return [...this.objects.values()].filter(isWanted) as T[];
  };

  readonly find = <T extends KubeObject>({ kind, metadata }: ObjectReference): T | undefined => {
    const { name, namespace = 'default' } = metadata;
    return this.list<T>(kind ?? '').find(
      (other) => other.metadata.name === name && (other.metadata.namespace ?? namespace) === namespace,
    );
  };

  /** Finds an object by its resource and its name, or by its folded name, if it was generated or has a uid: `disk-*`. */
  findNamed(resource: string, namespace: string | undefined, name: string): KubeObject | undefined {
    const exact = this.objects.get(`${resource} ${namespace ?? ''}/${name}`);
    if (exact || !name.includes('*')) return exact;
    const prefix = `${resource} ${namespace ?? ''}/`;
    for (const [key, object] of this.objects) if (key.startsWith(prefix) && baseNameOf(object) === name) return object;
    return undefined;
  }

  /** The objects that a fault selects. */
  selectedBy({ resource, namespace, name }: RejectedPatchFault): readonly KubeObject[] {
    if (name !== undefined) return [this.findNamed(resource, namespace, name)].filter((found) => found !== undefined);
    return [...this.objects].filter(([key]) => key.startsWith(`${resource} `)).map(([, object]) => object);
  }

  /** Begins with the objects of the server. */
  begin({ client }: WorldServer): void {
    for (const resource of client.resources()) {
      const name = nameOfResource(resource);
      for (const object of client.list(resource)) this.objects.set(keyOf(name, object), object);
    }
  }

  /** Applies a change. */
  apply({ type, resource, object }: WorldChange): void {
    if (type === 'DELETED') this.objects.delete(keyOf(resource, object));
    else this.objects.set(keyOf(resource, object), object);
  }

  /** Whether an object has owners, and none of them exists. @param isThere whether an owner that exists counts */
  isOrphan(object: KubeObject, isThere = (_owner: KubeObject) => true): boolean {
    const { ownerReferences = [] } = object.metadata;
    return ownerReferences.length > 0 && !this.ownersOf(object).some(isThere);
  }

  /** The owners of an object that exist. */
  ownersOf({ metadata: { ownerReferences = [] } }: KubeObject): readonly KubeObject[] {
    const owners = new Set(ownerReferences.map(({ uid }) => uid));
    return [...this.objects.values()].filter(({ metadata }) => owners.has(metadata.uid!));
  }

  /** All objects whose state matters. */
  get all(): readonly KubeObject[] {
    return [...this.objects]
      .filter(([key]) => !isTransient(key.slice(0, key.indexOf(' '))))
      .map(([, object]) => object);
  }
}

/** Whether objects of the resource come and go with the work of the cluster. */
export function isTransient(resource: string): boolean {
  return TRANSIENT.test(resource);
}

function keyOf(resource: string, { metadata }: KubeObject): string {
  return `${resource} ${metadata.namespace ?? ''}/${metadata.name}`;
}
