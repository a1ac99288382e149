import { FieldSet } from './field.set.js';
import type { PathElement } from './path.element.js';

/** A set of paths that is being made, level by level. */
export class FieldSetBuilder {
  private members?: Set<PathElement>;
  private children?: Map<PathElement, FieldSet>;

  /** Adds a path of one step. */
  add(element: PathElement): void {
    (this.members ??= new Set()).add(element);
  }

  /** Adds paths that begin with a step, of which nothing was added before. */
  nest(element: PathElement, below: FieldSet): void {
    if (!below.isEmpty) (this.children ??= new Map()).set(element, below);
  }

  /** Returns the set; nothing can be added afterwards. */
  build(): FieldSet {
    return FieldSet.build(this.members, this.children);
  }
}
