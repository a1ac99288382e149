import type { ProgressRecord } from '../state/storages.js';
import { ProgressMemory } from './progress.memory.js';

const record = (started = '2020-01-01T00:00:00.000000+00:00'): ProgressRecord => ({ started, retries: 1 });

describe('ProgressMemory', () => {
  it('should expect records when the cluster has taken the patch, and not before', () => {
    const memory = new ProgressMemory();
    const sent = record();
    memory.noteChange('a', sent);
    expect([memory.isEmpty, memory.expected('a')]).toEqual([true, undefined]);
    memory.confirm();
    expect([memory.isEmpty, memory.expected('a')]).toEqual([false, sent]);
  });

  it('should not expect what was sent with a patch that came to nothing', () => {
    const memory = new ProgressMemory();
    memory.noteChange('a', record());
    memory.forgetChanges();
    memory.confirm();
    expect(memory.isEmpty).toBe(true);
  });

  it('should expect a record until the cluster has removed it', () => {
    const memory = new ProgressMemory();
    const first = record();
    memory.noteChange('a', first);
    memory.confirm();
    memory.noteChange('a', record());
    memory.noteChange('a', null);
    expect(memory.expected('a')).toBe(first);
    memory.confirm();
    expect(memory.expected('a')).toBeUndefined();
  });

  it('should let changes count that the cluster has not stored, until it has stored all of them', () => {
    const memory = new ProgressMemory();
    const [first, second] = [record(), record()];
    memory.noteChange('a', first);
    memory.confirm();
    memory.noteChange('a', null);
    memory.noteChange('b', second);
    memory.noteChange('c', null);
    memory.withhold();
    expect(['a', 'b', 'c'].map((id) => memory.instead(id))).toEqual([null, second, undefined]);
    expect(memory.known).toEqual(new Map([['b', second]]));
    memory.noteChange('b', first);
    expect(memory.changes).toEqual(
      new Map([
        ['a', null],
        ['b', first],
      ]),
    );
    memory.confirm();
    expect([memory.isWithheld, memory.expected('a'), memory.expected('b')]).toEqual([false, undefined, first]);
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
    memory.noteChange('a', record());
    memory.confirm();
    expect(memory.isLeftover('a', record())).toBe(false);
    expect(memory.isLeftover('b', record())).toBe(true);
    expect(memory.isLeftover('a', record('2019-12-31T00:00:00.000000+00:00'))).toBe(true);
    memory.noteChange('a', null);
    memory.confirm();
    expect(memory.isLeftover('a', record())).toBe(true);
  });

  it('should forget everything that another operator may have changed', () => {
    const memory = new ProgressMemory();
    memory.noteChange('a', record());
    memory.confirm();
    memory.handledAt = Date.UTC(2020, 0, 2);
    memory.forget();
    expect([memory.isEmpty, memory.handledAt]).toEqual([true, undefined]);
  });

  it('should have a loss reported once', () => {
    const memory = new ProgressMemory();
    expect([memory.noteLoss(), memory.noteLoss()]).toEqual([true, false]);
  });
});
