import { firstCallsEnd } from './first.calls.js';

/** @param due in seconds */
function endOf(due: number, { isStopping = false, hasBegun = false } = {}): number {
  const run = { handler: { id: 'tick' }, object: { metadata: { uid: '1' } }, isStopping, due: due * 1000 };
  return firstCallsEnd([run as never], (id, uid) => hasBegun && id === 'tick' && uid === '1', 100_000);
}

describe('firstCallsEnd', () => {
  it('should be when a daemon or a timer is called for the first time', () => {
    expect(endOf(160)).toBe(160_000);
  });

  it('should not wait for those that were called, are stopping, or have no time set', () => {
    expect(endOf(160, { hasBegun: true })).toBe(-Infinity);
    expect(endOf(160, { isStopping: true })).toBe(-Infinity);
    expect(endOf(100)).toBe(-Infinity);
    expect(firstCallsEnd([], () => false, 0)).toBe(-Infinity);
  });

  it('should not wait for those that are called at another time of the day', () => {
    expect(endOf(700)).toBe(700_000);
    expect(endOf(701)).toBe(-Infinity);
  });
});
