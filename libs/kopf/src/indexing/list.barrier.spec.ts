import { IndexingGate } from './indexing.gate.js';
import { ListBarrier } from './list.barrier.js';

describe('ListBarrier', () => {
  it('should keep the gate closed until the list is complete and all that was listed is indexed', () => {
    const gate = new IndexingGate();
    const barrier = new ListBarrier(gate);
    barrier.expect('a');
    barrier.expect('b');
    barrier.indexed('a');
    barrier.complete();
    expect(gate.isOpen).toBe(false);
    barrier.indexed('b');
    expect(gate.isOpen).toBe(true);
  });

  it('should not wait twice for an object that is listed twice, as its second event comes only after the first one', () => {
    const gate = new IndexingGate();
    const barrier = new ListBarrier(gate);
    barrier.expect('a');
    barrier.indexed('a');
    barrier.expect('a');
    barrier.complete();
    expect(gate.isOpen).toBe(true);
  });

  it('should open for an empty list, and when the resource is not waited for any more', () => {
    const gate = new IndexingGate();
    const empty = new ListBarrier(gate);
    const unwanted = new ListBarrier(gate);
    empty.complete();
    expect(gate.isOpen).toBe(false);
    unwanted.leave();
    expect(gate.isOpen).toBe(true);
  });

  it('should let those through who wait, and hold back others when another resource comes up', async () => {
    const gate = new IndexingGate();
    const first = new ListBarrier(gate);
    const waiting = gate.opened();
    first.complete();
    await waiting;
    const second = new ListBarrier(gate);
    expect(gate.isOpen).toBe(false);
    gate.abort();
    await gate.opened();
    expect([gate.isOpen, gate.aborted]).toEqual([true, true]);
    second.leave();
  });
});
