import type { ProgressRecord } from '../state/storages.js';
import { ProgressMemory } from './progress.memory.js';

const record = (started = '2020-01-01T00:00:00.000000+00:00'): ProgressRecord => ({ started, retries: 1 });

describe('ProgressMemory', () => {
  it('should expect records when the cluster has taken the patch, and not before', () => {
    const memory = new ProgressMemory();
    const sent = record();
    memory.noteSent('a', sent);
    expect([memory.isEmpty, memory.expected('a')]).toEqual([true, undefined]);
    memory.confirmSent();
    expect([memory.isEmpty, memory.expected('a')]).toEqual([false, sent]);
  });

  it('should not expect what was sent with a patch that came to nothing', () => {
    const memory = new ProgressMemory();
    memory.noteSent('a', record());
    memory.forgetSent();
    memory.confirmSent();
    expect(memory.isEmpty).toBe(true);
  });

  it('should forget a removed record, whether it was sent or confirmed, and tell which one the object should have had', () => {
    const memory = new ProgressMemory();
    const [first, second] = [record(), record()];
    memory.noteSent('a', first);
    memory.confirmSent();
    memory.noteSent('a', second);
    expect(memory.remove('a')).toBe(first);
    expect(memory.remove('a')).toBeUndefined();
    memory.confirmSent();
    expect(memory.expected('a')).toBeUndefined();
  });

  it('should know records from before the last complete handling', () => {
    const memory = new ProgressMemory();
    expect(memory.isLeftover('a', record())).toBe(false);
    memory.handledAt = Date.UTC(2020, 0, 2);
    expect(memory.isLeftover('a', record())).toBe(true);
    expect(memory.isLeftover('a', record('2020-01-02T00:00:00.000000+00:00'))).toBe(false);
    expect(memory.isLeftover('a', record('nonsense'))).toBe(false);
  });

  it('should not take a record for an old one that was stored after the clock had been set back', () => {
    const memory = new ProgressMemory();
    memory.handledAt = Date.UTC(2020, 0, 2);
    memory.noteSent('a', record());
    memory.confirmSent();
    expect(memory.isLeftover('a', record())).toBe(false);
    expect(memory.isLeftover('b', record())).toBe(true);
    expect(memory.isLeftover('a', record('2019-12-31T00:00:00.000000+00:00'))).toBe(true);
    memory.remove('a');
    expect(memory.isLeftover('a', record())).toBe(true);
  });

  it('should forget everything that another operator may have changed', () => {
    const memory = new ProgressMemory();
    memory.noteSent('a', record());
    memory.confirmSent();
    memory.handledAt = Date.UTC(2020, 0, 2);
    memory.forget();
    expect([memory.isEmpty, memory.handledAt]).toEqual([true, undefined]);
  });

  it('should have a loss reported once', () => {
    const memory = new ProgressMemory();
    expect([memory.noteLoss(), memory.noteLoss()]).toEqual([true, false]);
  });
});
