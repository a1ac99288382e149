import { FieldSet } from './field.set.js';
import type { JsonObject } from '../common/json.values.js';
import { compareValues } from './value.comparison.js';
import { shapeOf } from './value.shape.js';
import type { ValueType } from './value.type.js';

/** The number of shapes of each resource that are remembered. */
const LIMIT = 500;

/**
 * The fields of new objects. Most of them have the same fields as an earlier one, so that they need not be compared with an empty object.
 */
export class CreationFields {
  private readonly known = new WeakMap<object, Map<string, FieldSet>>();

  /** @param type the type of one resource; with it goes the empty object, and what is skipped */
  of(empty: JsonObject, object: JsonObject, type: ValueType, skipped: FieldSet): FieldSet {
    let shapes = this.known.get(type);
    if (!shapes || shapes.size >= LIMIT) this.known.set(type, (shapes = new Map()));
    const shape = shapeOf(object, empty, type);
    let fields = shapes.get(shape);
    if (!fields) {
      const { added, modified } = compareValues(empty, object, type, skipped);
      shapes.set(shape, (fields = modified.union(added)));
    }
    return fields;
  }
}
