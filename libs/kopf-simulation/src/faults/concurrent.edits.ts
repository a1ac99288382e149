import type { KubeObject } from 'nestjs-kopf';
import type { ObjectReference } from 'nestjs-kopf/testing';

/**
 * The edits by which the user changes an object again before the operator is at rest. Which of the states in between the operator sees depends on
 * timing. In a reference run it sees none of them: only the last state of each series of edits counts.
 */
export class ConcurrentEdits {
  /** Whether there were any concurrent edits so far. */
  isFound = false;
  private readonly touched = new Map<string, ObjectReference>();
  /** The objects that the user has edited again. */
  private readonly edited = new Set<string>();
  private show?: () => void;

  /** @param hide hides what the user does from the operator, until the returned function is called; absent if the operator sees everything */
  constructor(private readonly hide?: () => () => void) {}

  /** Records that the user is about to edit an object. */
  begin(object: ObjectReference): void {
    const { kind, metadata } = object;
    const key = keyOf(kind, metadata.name, metadata.namespace);
    if (this.touched.has(key)) this.edited.add(key);
    this.isFound ||= this.edited.has(key);
    this.touched.set(key, object);
    this.show ??= this.hide?.();
  }

  /** Shows the edits to the operator. */
  end(): void {
    this.show?.();
    this.show = undefined;
  }

  /** Whether the user is editing an object concurrently. */
  has({ kind, metadata: { name, namespace } }: KubeObject): boolean {
    return this.edited.has(keyOf(kind, name, namespace));
  }

  /** Whether the user is editing an owner of an object concurrently. */
  hasOwnerOf({ metadata: { namespace, ownerReferences = [] } }: KubeObject): boolean {
    return ownerReferences.some(
      ({ kind, name }) => this.edited.has(keyOf(kind, name, namespace)) || this.edited.has(keyOf(kind, name)),
    );
  }

  /**
   * Ends the series of edits, as the operator is at rest.
   *
   * @param isHidden whether the operator cannot see an object yet, so that its edits remain concurrent
   */
  onRest(isHidden: (object: ObjectReference) => boolean = () => false): void {
    for (const [key, object] of this.touched) {
      if (isHidden(object)) continue;
      this.touched.delete(key);
      this.edited.delete(key);
    }
  }
}

/** @param namespace `default`, unless the user names one; cluster-scoped objects count as if they were in it */
function keyOf(kind = '', name = '', namespace = 'default'): string {
  return `${kind} ${namespace}/${name}`;
}
