import { ResourcePatch } from '../objects/patches.js';
import type { Outcome } from './outcome.js';
import { deliverResults } from './results.js';

describe('deliverResults', () => {
  const outcome = (fields: Partial<Outcome>): Outcome => ({ final: true, subrefs: new Set(), ...fields });

  it('should put results into the status by the ids of handlers, but none of failures', () => {
    const patch = new ResourcePatch();
    deliverResults(
      new Map([
        ['map', outcome({ result: { a: 1 } })],
        ['fn/spec.field', outcome({ result: 'text' })],
        ['list', outcome({ result: [1] })],
        ['nothing', outcome({})],
        ['null', outcome({ result: null })],
        ['failed', outcome({ result: 1, error: new Error() })],
      ]),
      patch,
    );
    expect(patch.toMergePatch()).toEqual({ status: { map: { a: 1 }, 'fn/spec.field': 'text', list: [1] } });
  });

  it('should merge mappings into what the handler has put there, and replace anything else', () => {
    const patch = new ResourcePatch();
    patch.status.map = { a: 0, b: 0 };
    patch.status.text = 'abc';
    deliverResults(
      new Map([
        ['map', outcome({ result: { a: 1 } })],
        ['text', outcome({ result: { a: 1 } })],
      ]),
      patch,
    );
    expect(patch.status).toEqual({ map: { a: 1, b: 0 }, text: { a: 1 } });
  });
});
