import { PendingAttempts } from './pending.attempts.js';

describe('PendingAttempts', () => {
  it('should know how many objects wait, and which of them is the first', () => {
    const pending = new PendingAttempts();
    expect(pending.earliest).toBeUndefined();
    pending.add('a', 3000);
    pending.add('b', 2000);
    pending.add('b', 4000);
    pending.add(undefined, 1000);
    expect(pending).toMatchObject({ size: 2, earliest: 3000 });
    pending.done('a');
    pending.done(undefined);
    expect(pending).toMatchObject({ size: 1, earliest: 4000 });
    pending.clear();
    expect(pending).toMatchObject({ size: 0, earliest: undefined });
  });
});
