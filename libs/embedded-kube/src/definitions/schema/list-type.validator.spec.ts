import { validateListTypes } from './list-type.validator.js';
import type { StructuralSchema } from './structural.schema.js';

const SET: StructuralSchema = { type: 'array', 'x-kubernetes-list-type': 'set' };
const MAP: StructuralSchema = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };

describe('validateListTypes', () => {
  it.each<[StructuralSchema, unknown, string[]]>([
    [SET, ['a', 'b'], []],
    [SET, ['a', 'a', 'a'], ['spec.x[1]: Duplicate value: "a"']],
    [MAP, [{ k: 1 }, { k: 2 }, { k: 1 }], ['spec.x[2]: Duplicate value: {"k":1}']],
    [MAP, [{}, { v: 1 }], ['spec.x[1]: Duplicate value: {}']],
    [MAP, [{ k: 1 }, 5, 6], ['spec.x[1]: Invalid value: 5: must be an object for an array of list-type map']],
    [{ type: 'array', items: SET }, [[1], [1, 1]], ['spec.x[1][1]: Duplicate value: 1']],
    [{ type: 'object', properties: { l: SET } }, { l: [1, 1], other: [1, 1] }, ['spec.x.l[1]: Duplicate value: 1']],
    [{ type: 'object', additionalProperties: SET }, { l: [1, 1] }, ['spec.x[l][1]: Duplicate value: 1']],
    [{ type: 'array' }, ['a', 'a'], []],
  ])('should check %j against %j', (schema, value, expected) => {
    const errors = validateListTypes(value, schema, 'spec.x').map(({ field, message }) => `${field}: ${message}`);
    expect(errors).toEqual(expected);
  });
});
