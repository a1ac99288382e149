import { JsonPathParser } from './json-path.parser.js';
import type { JsonPathStep } from './json-path.steps.js';

/**
 * A path in Kubernetes' dialect of JSONPath, as printer columns use it: `.spec.size`, `.status.conditions[?(@.type=="Ready")].status`,
 * `.spec.list[0:2]`, `.metadata.labels.app\.kubernetes\.io/name`, `['a','b']`, `.*`, `..name`.
 */
export class JsonPath {
  /**
   * Compiles a path, with or without the braces around it.
   *
   * @throws Error if it is no path
   */
  static parse(text: string): JsonPath {
    const inner = text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1) : text;
    return new JsonPath(new JsonPathParser(inner).parse());
  }

  private constructor(private readonly steps: readonly JsonPathStep[]) {}

  /** Returns the values that the path leads to; none where it ends early or does not fit the data. */
  find(data: unknown): unknown[] {
    let values: unknown[] = [data];
    try {
      for (const step of this.steps) values = step(values);
    } catch {
      return [];
    }
    return values;
  }
}
