import { changesGenerationOnly } from './observed-generation.js';

describe('changesGenerationOnly', () => {
  it.each([
    ['another observed generation', { observedGeneration: 2, a: 1 }, { observedGeneration: 1, a: 1 }],
    ['one in a map', { a: { observedGeneration: 2 } }, { a: { observedGeneration: 1 } }],
    ['one in a list', { a: [{ observedGeneration: 2, b: 1 }] }, { a: [{ observedGeneration: 1, b: 1 }] }],
    [
      'one beside the same fields',
      { observedGeneration: 2, a: null, b: { c: [1] } },
      { observedGeneration: 1, b: { c: [1], d: 2 } },
    ],
  ])('should find %s', (_, patch, value) => {
    expect(changesGenerationOnly(patch, value)).toBe(true);
  });

  it.each([
    ['the same fields', { a: 1, observedGeneration: 1 }, { a: 1, observedGeneration: 1 }],
    ['nothing', {}, undefined],
    ['another value', { a: 1 }, { a: 2 }],
    ['a new field', { a: 1 }, {}],
    ['the first observed generation', { observedGeneration: 1 }, {}],
    ['a removal', { a: null }, { a: 1 }],
    ['another item', { a: [{ b: 1 }] }, { a: [{ b: 2 }] }],
    ['a further item', { a: [1, 2] }, { a: [1] }],
    ['a lost field of an item', { a: [{ b: 1 }] }, { a: [{ b: 1, c: 2 }] }],
    ['another value beside an observed generation', { observedGeneration: 2, a: 2 }, { observedGeneration: 1, a: 1 }],
  ])('should find more or less than that: %s', (_, patch, value) => {
    expect(changesGenerationOnly(patch, value)).toBe(false);
  });
});
