import { compareObserved } from './observed.changes.js';
import type { ObservedObject, ObservedProgress } from './observed.object.js';

const waiting: ObservedProgress = {
  handler: 'create',
  purpose: 'create',
  attempts: 1,
  startedAt: 5,
  dueAt: 9,
  error: 'no',
};

function object(...progress: readonly ObservedProgress[]): ObservedObject {
  return { name: 'web', uid: 'u', isHandled: true, generation: 1, progress, heldBy: { operator: true, others: false } };
}

describe('compareObserved', () => {
  it.each<[string, ObservedObject | undefined, ObservedObject | undefined, readonly string[]]>([
    ['an object that comes', undefined, object(), ['The object was created.']],
    ['an object that goes', object(), undefined, ['The object was deleted.']],
    ['an object that was not known', undefined, undefined, []],
    ['an object that is touched', object(waiting), object(waiting), []],
    ['an attempt that fails', object(), object(waiting), ['The handler create is called again later: no']],
    [
      'another attempt that fails',
      object(waiting),
      object({ ...waiting, attempts: 2, dueAt: 99, error: 'never' }),
      ['The handler create is called again later: never'],
    ],
    [
      'an attempt that succeeds while others wait',
      object(waiting),
      object({ ...waiting, attempts: 2, ended: 'succeeded', error: undefined }),
      ['The handler create has succeeded.'],
    ],
    [
      'an attempt that is the last one',
      object(waiting),
      object({ ...waiting, attempts: 2, ended: 'failed' }),
      ['The handler create has failed for good: no'],
    ],
    ['a handler that is to be called', object(), object({ handler: 'create', attempts: 0, startedAt: 5 }), []],
    ['a handler that waits for its sub-handlers', object(), object({ handler: 'create', attempts: 1, dueAt: 5 }), []],
    ['handlers that are done', object(waiting), object(), ['The handler create is not called any more: it is done.']],
    ['a handler that is done already', object({ ...waiting, ended: 'failed' }), object(), []],
    [
      'a deletion',
      object(),
      { ...object({ ...waiting, handler: 'remove' }), deletingSince: 7, generation: 2 },
      [
        'The object is being deleted.',
        'The object was changed, and has the generation 2 now.',
        'The handler remove is called again later: no',
      ],
    ],
  ])('should tell of %s', (_what, before, after, texts) => {
    expect(compareObserved(before, after).map(({ text }) => text)).toEqual(texts);
  });

  it('should tell of which attempt it is', () => {
    const [event] = compareObserved(object(waiting), object({ ...waiting, attempts: 2 }));
    expect(event.call).toEqual({ id: 'create', reason: 'create', attempt: 2, outcome: 'retried', error: 'no' });
  });
});
