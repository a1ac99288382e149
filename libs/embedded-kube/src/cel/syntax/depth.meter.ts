import type { CelNode } from './cel.node.js';

/**
 * The depth of nested operators, selections and calls, also where they only follow one another: `a.b.c`, `1 + 1 + 1`. Code that walks the
 * tree calls itself for each level, and the real server limits them, too.
 */
export class DepthMeter {
  private readonly depths = new Map<CelNode, number>();
  private deepest = 0;

  /** The depth of the deepest node so far. */
  get greatest(): number {
    return this.deepest;
  }

  /** Records a node that is one level above its parts. */
  above<T extends CelNode>(node: T, parts: readonly (CelNode | undefined)[]): T {
    return this.record(node, parts, 1);
  }

  /** Records a node that adds no level to its parts. */
  around<T extends CelNode>(node: T, parts: readonly (CelNode | undefined)[]): T {
    return this.record(node, parts, 0);
  }

  private record<T extends CelNode>(node: T, parts: readonly (CelNode | undefined)[], levels: number): T {
    let depth = 0;
    for (const part of parts) depth = Math.max(depth, (part && this.depths.get(part)) ?? 0);
    this.depths.set(node, depth + levels);
    this.deepest = Math.max(this.deepest, depth + levels);
    return node;
  }
}
