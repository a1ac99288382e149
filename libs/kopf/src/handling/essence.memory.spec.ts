import { EssenceMemory } from './essence.memory.js';

const FIRST = { spec: { field: 'v1' } };
const SECOND = { spec: { field: 'v2' } };

describe('EssenceMemory', () => {
  it('should count an essence as stored when the cluster has taken the patch, and not before', () => {
    const memory = new EssenceMemory();
    memory.noteSent(FIRST);
    expect(memory.isExpected).toBe(false);
    memory.confirmSent(false);
    expect([memory.isExpected, memory.recalled]).toEqual([true, undefined]);
  });

  it('should not count what was sent with a patch that came to nothing', () => {
    const memory = new EssenceMemory();
    memory.noteSent(FIRST);
    memory.forgetSent();
    memory.confirmSent(true);
    expect([memory.isExpected, memory.recalled]).toEqual([false, undefined]);
  });

  it('should recall the last essence only if it is to', () => {
    const memory = new EssenceMemory();
    memory.noteFound(FIRST, false);
    expect([memory.isExpected, memory.recalled]).toEqual([true, undefined]);
    memory.noteFound(FIRST, true);
    expect(memory.recalled).toBe(FIRST);
    memory.noteSent(SECOND);
    memory.confirmSent(true);
    expect(memory.recalled).toBe(SECOND);
  });

  it('should keep an essence that cannot be stored, until one is', () => {
    const memory = new EssenceMemory();
    memory.keepUnstorable(FIRST);
    expect([memory.isOutOfDate, memory.recalled]).toEqual([true, FIRST]);
    memory.noteSent(SECOND);
    memory.confirmSent(false);
    expect([memory.isOutOfDate, memory.recalled]).toEqual([false, undefined]);
  });

  it('should have a loss reported once', () => {
    const memory = new EssenceMemory();
    expect([memory.noteLoss(), memory.noteLoss()]).toEqual([true, false]);
  });
});
