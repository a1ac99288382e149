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

  /** Notes that a webhook was asked that wants to see later changes. */
  remember(key: string): void {
    this.asked.add(key);
  }

  /** Notes that the object changed: who was asked before is to be asked again. */
  noteChange(): void {
    for (const key of this.asked) this.due.add(key);
    this.asked = new Set();
  }

  /** Notes how the webhooks left the object. */
  keep(object: Draft | undefined): void {
    this.output = object && draftOf(object as KubeObject);
  }

  /** Compares the object with how the webhooks left it. */
  compare(object: Draft | undefined): void {
    if (!jsonEqual(object, this.output)) this.noteChange();
  }
}
