import type { KubeObject } from '../../objects/kube-object.js';
import type { ObjectReference } from '../../testing/test.client.js';

/**
 * Notices that the user does something with an object again before the operator is at rest: nobody knows then which of the states in
 * between the operator sees. In a run that is compared with, it sees none of them: the last state of each hurry is all that counts.
 */
export class ConcurrentEdits {
  /** Is true once the user has been in a edits. */
  isFound = false;
  private readonly touched = new Map<string, ObjectReference>();
  /** The objects that the user has done something with again. */
  private readonly edited = new Set<string>();
  private show?: () => void;

  /** @param hide keeps the operator from seeing what the user does, until what it returns is called; absent if it sees all of it. */
  constructor(private readonly hide?: () => () => void) {}

  /** Notes that the user is about to do something. */
  begin(object: ObjectReference): void {
    const { kind, metadata } = object;
    const key = keyOf(kind, metadata.name, metadata.namespace);
    if (this.touched.has(key)) this.edited.add(key);
    this.isFound ||= this.edited.has(key);
    this.touched.set(key, object);
    this.show ??= this.hide?.();
  }

  /** Lets the operator see what the user has done. */
  end(): void {
    this.show?.();
    this.show = undefined;
  }

  /** Tells whether the user is in a hurry with an object. */
  has({ kind, metadata: { name, namespace } }: KubeObject): boolean {
    return this.edited.has(keyOf(kind, name, namespace));
  }

  /** Tells whether the user is in a hurry with an owner of an object. */
  hasOwnerOf({ metadata: { namespace, ownerReferences = [] } }: KubeObject): boolean {
    return ownerReferences.some(
      ({ kind, name }) => this.edited.has(keyOf(kind, name, namespace)) || this.edited.has(keyOf(kind, name)),
    );
  }

  /** Notes that the operator is at rest. @param isHidden tells of what it cannot see yet: the user goes on as if it were in its way */
  onRest(isHidden: (object: ObjectReference) => boolean = () => false): void {
    for (const [key, object] of this.touched) {
      if (isHidden(object)) continue;
      this.touched.delete(key);
      this.edited.delete(key);
    }
  }
}

/** @param namespace that of users who name none, by default; objects of the cluster count as if they were in it */
function keyOf(kind = '', name = '', namespace = 'default'): string {
  return `${kind} ${namespace}/${name}`;
}
