import type { ProgressRecord } from '../state/storages.js';
import { ObjectMemory } from './object.memory.js';

const STARTED = Date.UTC(2020, 0, 2);
const record = { started: '2020-01-01T00:00:00.000000+00:00' } as ProgressRecord;

/** Remembers an object whose last change was handled later than the new progress has begun: the clock was set back meanwhile. */
function makeMemory(): ObjectMemory {
  const memory = new ObjectMemory(false, () => undefined);
  memory.progress.handledAt = STARTED;
  memory.progress.noteChange('a', record);
  return memory;
}

describe('ObjectMemory', () => {
  it('should count the progress of a patch as stored that has met with a conflict and is sent with the next one', () => {
    const memory = makeMemory();
    memory.postponeState(undefined);
    memory.beginChanges();
    memory.confirmState(false);
    expect(memory.progress.isLeftover('a', record)).toBe(false);
  });

  it('should forget the progress of a patch that is not sent any more', () => {
    const memory = makeMemory();
    memory.beginChanges();
    memory.confirmState(false);
    expect(memory.progress.isLeftover('a', record)).toBe(true);
  });

  it.each([
    ['the same time of leadership', true],
    ['another one', false],
  ])('should let state count that is not stored in %s', (_, isSame) => {
    const memory = makeMemory();
    const tenure = {};
    memory.withholdState(tenure);
    memory.enterTenure(isSame ? tenure : {});
    expect(memory.isStateWithheld).toBe(isSame);
  });
});
