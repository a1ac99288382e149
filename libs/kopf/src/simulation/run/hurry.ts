import type { ObjectReference } from '../../testing/test.client.js';

/**
 * Notices that the user does something with an object again before the operator is at rest: nobody knows then which of the states in
 * between the operator sees. In a run that is compared with, it sees none of them: the last state of each hurry is all that counts.
 */
export class Hurry {
  /** Is true once the user has been in a hurry. */
  isFound = false;
  private readonly touched = new Set<string>();
  private show?: () => void;

  /** @param hide keeps the operator from seeing what the user does, until what it returns is called; absent if it sees all of it. */
  constructor(private readonly hide?: () => () => void) {}

  /** Notes that the user is about to do something. */
  begin({ kind, metadata: { namespace, name } }: ObjectReference): void {
    const key = `${kind} ${namespace}/${name}`;
    this.isFound ||= this.touched.has(key);
    this.touched.add(key);
    this.show ??= this.hide?.();
  }

  /** Lets the operator see what the user has done. */
  end(): void {
    this.show?.();
    this.show = undefined;
  }

  /** Notes that the operator is at rest. */
  onRest(): void {
    this.touched.clear();
  }
}
