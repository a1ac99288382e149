import type { ChangingHandler } from '../registry/handler.js';
import { HandlerRegistry } from '../registry/handler.registry.js';
import { parseSelector } from '../resources/selectors.js';
import { findIdConflicts } from './id-conflicts.js';

const handler = (id: string, source: string, selector = 'a.example.com'): ChangingHandler => ({
  id,
  title: id,
  source,
  invoke: () => undefined,
  selector: parseSelector([selector]),
});

function conflicts(...handlers: ChangingHandler[]): readonly string[] {
  const registry = new HandlerRegistry();
  for (const each of handlers) registry.addChanging(each);
  return findIdConflicts(registry);
}

describe('findIdConflicts', () => {
  it('should find nothing wrong with different ids, resources, kinds of handlers, and decorators of one method', () => {
    const same = handler('fn', 'A.fn');
    const registry = new HandlerRegistry();
    registry.addChanging(same);
    registry.addChanging({ ...same, reason: 'create' });
    registry.addChanging(handler('other', 'B.other'));
    registry.addChanging(handler('fn', 'B.fn', 'b.example.com'));
    registry.addWatching(handler('fn', 'C.fn'));
    expect(findIdConflicts(registry)).toEqual([]);
  });

  it('should name both methods that have one id for one resource, once', () => {
    const [one, two] = [handler('fn', 'A.fn'), handler('fn', 'B.fn')];
    expect(conflicts(one, two, { ...two, reason: 'delete' })).toEqual([
      expect.stringMatching(
        /^A.fn and B.fn are both handlers 'fn' of .*a.*example.com.*; give one of them another option 'id', or its module KopfModule\.forFeature\(\{ idPrefix \}\)$/,
      ),
    ]);
  });

  it.each(['addWatching', 'addIndexing'] as const)('should look at all kinds of handlers: %s', (add) => {
    const registry = new HandlerRegistry();
    registry[add](handler('fn', 'A.fn'));
    registry[add](handler('fn', 'B.fn'));
    expect(findIdConflicts(registry)).toHaveLength(1);
  });

  it('should find ids that would share an annotation', () => {
    expect(conflicts(handler('fn/a', 'A.x'), handler('fn.a', 'A.y'))).toEqual([
      expect.stringMatching(/the handlers 'fn\/a' and 'fn.a' of .* would share the annotation kopf.zalando.org\/fn.a/),
    ]);
    expect(conflicts(handler('touch-dummy', 'A.x'))[0]).toContain(
      'would share the annotation kopf.zalando.org/touch-dummy',
    );
  });

  it('should find ids that cannot be stored', () => {
    expect(conflicts(handler('with space', 'A.x'))).toEqual([
      expect.stringContaining("A.x: the id 'with space' must begin and end with a letter or a digit"),
    ]);
  });
});
