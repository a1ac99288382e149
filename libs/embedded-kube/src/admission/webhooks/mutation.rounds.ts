import { type KubeObject, type Draft, draftOf } from '../../resources/kube-object.js';
import { jsonEqual } from '../../common/json.values.js';

/** The webhooks of a write that are called again, because others changed the object after them. */
export class MutationRounds {
  private asked = new Set<string>();
  private readonly due = new Set<string>();
  private output: Draft | undefined;

  /** Checks whether a webhook is to be called in the second round. */
  isDue(key: string): boolean {
    return this.due.has(key);
  }

  /** Remembers that a webhook was called that wants to see later changes. */
  remember(key: string): void {
    this.asked.add(key);
  }

  /** Records that the object changed: webhooks that were called before are to be called again. */
  noteChange(): void {
    for (const key of this.asked) this.due.add(key);
    this.asked = new Set();
  }

  /** Keeps the state in which the webhooks left the object. */
  keep(object: Draft | undefined): void {
    this.output = object && draftOf(object as KubeObject);
  }

  /** Compares the object with the state in which the webhooks left it. */
  compare(object: Draft | undefined): void {
    if (!jsonEqual(object, this.output)) this.noteChange();
  }
}
