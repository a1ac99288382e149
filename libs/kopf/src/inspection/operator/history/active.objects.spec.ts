import { Inventory } from '../../../handling/inventory.js';
import { ActiveObjects } from './active.objects.js';

/** Counts how often all objects are looked at. */
class CountedInventory extends Inventory {
  looks = 0;

  override get all() {
    this.looks += 1;
    return super.all;
  }
}

function begin(inventory: Inventory, uid: string): void {
  inventory.recall(uid, false).progress.noteRead('create', { retries: 1 });
}

function finish(inventory: Inventory, uid: string): void {
  inventory.recall(uid, false).progress.noteRead('create', undefined);
}

describe('The objects that are not idle', () => {
  it('should be known from the ends of cycles, after one look at all', () => {
    const inventory = new CountedInventory({});
    const active = new ActiveObjects();
    active.start();
    for (const uid of ['a', 'b', 'c']) inventory.recall(uid, true);
    begin(inventory, 'a');
    expect([...active.list(inventory)]).toEqual(['a']);
    begin(inventory, 'b');
    active.record('b');
    expect([...active.list(inventory)]).toEqual(['a', 'b']);
    finish(inventory, 'a');
    inventory.forget('b');
    expect([...active.list(inventory)]).toEqual([]);
    expect(inventory.looks).toBe(1);
  });

  it('should be looked for among all objects before cycles are reported, and in another session', () => {
    const inventory = new CountedInventory({});
    const active = new ActiveObjects();
    begin(inventory, 'a');
    expect([...active.list(inventory)]).toEqual(['a']);
    begin(inventory, 'b');
    expect([...active.list(inventory)]).toEqual(['a', 'b']);
    active.start();
    const another = new CountedInventory({});
    active.list(inventory);
    begin(another, 'c');
    expect([...active.list(another)]).toEqual(['c']);
    active.clear();
    begin(another, 'd');
    expect([...active.list(another)]).toEqual(['c', 'd']);
  });

  it('should be looked for among all again if very many cycles have ended since the last look', () => {
    const inventory = new CountedInventory({});
    const active = new ActiveObjects();
    active.start();
    active.list(inventory);
    for (let index = 0; index <= 10_000; index++) active.record(`uid-${index}`);
    begin(inventory, 'late');
    expect([...active.list(inventory)]).toEqual(['late']);
    expect(inventory.looks).toBe(2);
  });
});
