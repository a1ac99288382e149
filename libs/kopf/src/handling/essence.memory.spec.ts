import { EssenceMemory } from './essence.memory.js';

const FIRST = { spec: { field: 'v1' } };
const SECOND = { spec: { field: 'v2' } };

describe('EssenceMemory', () => {
  it('should count an essence as stored when the cluster has taken the patch, and not before', () => {
    const memory = new EssenceMemory();
    memory.noteChange(FIRST);
    expect(memory.isExpected).toBe(false);
    memory.confirm(false);
    expect([memory.isExpected, memory.recalled]).toEqual([true, undefined]);
  });

  it('should not count what was sent with a patch that came to nothing', () => {
    const memory = new EssenceMemory();
    memory.noteChange(FIRST);
    memory.forgetChanges();
    memory.confirm(true);
    expect([memory.isExpected, memory.recalled]).toEqual([false, undefined]);
  });

  it('should recall the last essence only if it is to', () => {
    const memory = new EssenceMemory();
    memory.noteFound(FIRST, false);
    expect([memory.isExpected, memory.recalled]).toEqual([true, undefined]);
    memory.noteFound(FIRST, true);
    expect(memory.recalled).toBe(FIRST);
    memory.noteChange(SECOND);
    memory.confirm(true);
    expect(memory.recalled).toBe(SECOND);
  });

  it('should let an essence count that the cluster has not stored, until it is stored', () => {
    const memory = new EssenceMemory();
    memory.noteFound(FIRST, false);
    memory.noteChange(SECOND);
    memory.withhold();
    expect([memory.isOutOfDate, memory.recalled, memory.unstored]).toEqual([true, SECOND, SECOND]);
    memory.forgetChanges();
    expect(memory.unstored).toBe(SECOND);
    memory.confirm(false);
    expect([memory.isOutOfDate, memory.recalled, memory.unstored]).toEqual([false, undefined, undefined]);
  });

  it('should forget an essence that is not stored when another operator may have stored a newer one', () => {
    const memory = new EssenceMemory();
    memory.noteChange(FIRST);
    memory.withhold();
    memory.forgetWithheld();
    expect([memory.isOutOfDate, memory.recalled]).toEqual([false, undefined]);
  });

  it('should keep an essence that cannot be stored, until one is', () => {
    const memory = new EssenceMemory();
    memory.keepUnstorable(FIRST);
    expect([memory.isOutOfDate, memory.recalled]).toEqual([true, FIRST]);
    memory.noteChange(SECOND);
    memory.confirm(false);
    expect([memory.isOutOfDate, memory.recalled]).toEqual([false, undefined]);
  });

  it('should have a loss reported once', () => {
    const memory = new EssenceMemory();
    expect([memory.noteLoss(), memory.noteLoss()]).toEqual([true, false]);
  });
});
