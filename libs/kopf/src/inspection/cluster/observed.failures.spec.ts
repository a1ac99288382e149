import { ObservedFailures } from './observed.failures.js';
import type { ObservedObject } from './observed.object.js';

const FAILURE = { handler: 'create', error: 'never', at: 100 };

function object(rest: Partial<ObservedObject> = {}): ObservedObject {
  const heldBy = { operator: false, others: false };
  return { name: 'web', uid: 'u', isHandled: true, generation: 1, progress: [], heldBy, ...rest };
}

describe('ObservedFailures', () => {
  let failures: ObservedFailures;

  beforeEach(() => {
    failures = new ObservedFailures();
  });

  const isFailed = (rest?: Partial<ObservedObject>): boolean => failures.attach(object(rest)).failure !== undefined;

  it('should add a failure to its object, whichever of them comes first', () => {
    expect(isFailed()).toBe(false);
    failures.fail('u', FAILURE);
    expect(failures.attach(object()).failure).toEqual(FAILURE);
    expect(isFailed({ uid: 'other' })).toBe(false);
    expect(isFailed({ uid: undefined })).toBe(false);
  });

  it.each<[string, () => void]>([
    ['has another generation', () => expect(isFailed({ generation: 2 })).toBe(false)],
    ['is handled again', () => expect(isFailed({ progress: [{ handler: 'create', attempts: 0 }] })).toBe(false)],
    ['has gone', () => failures.forget('u')],
    ['was handled with success', () => failures.succeed('u', 101)],
    ['was handled with success by the same handler', () => failures.succeed('u', 101, 'create')],
  ])('should forget it when the object %s', (_what, happen) => {
    failures.fail('u', FAILURE);
    isFailed();
    happen();
    expect(isFailed()).toBe(false);
  });

  it.each<[string, () => void]>([
    ['another handler succeeds', () => failures.succeed('u', 101, 'other')],
    ['an earlier success becomes known', () => failures.succeed('u', 99)],
    ['an earlier failure becomes known', () => failures.fail('u', { ...FAILURE, error: 'x', at: 50 })],
    ['another handler works', () => isFailed({ progress: [{ handler: 'other', attempts: 0 }] })],
  ])('should keep it when %s', (_what, happen) => {
    failures.fail('u', FAILURE);
    isFailed();
    happen();
    expect(failures.attach(object()).failure).toEqual(FAILURE);
  });

  it('should not take a failure before a success that is known', () => {
    failures.succeed('u', 101);
    failures.fail('u', FAILURE);
    expect(isFailed()).toBe(false);
  });
});
