import { Inventory } from './inventory.js';

describe('Inventory', () => {
  it('should remember objects until they are forgotten', () => {
    const inventory = new Inventory({});
    const memory = inventory.recall('a', true);
    expect(inventory.recall('a', false)).toBe(memory);
    expect(memory.noticedByListing).toBe(true);
    inventory.recall('b', false);
    expect(inventory.size).toBe(2);
    inventory.forget('a');
    expect(inventory.size).toBe(1);
    expect(inventory.recall('a', false)).not.toBe(memory);
    inventory.clear();
    expect(inventory.size).toBe(0);
  });

  it("should copy the operator's memo when the object's is asked for, once", () => {
    const shared = { x: 1 };
    const operatorMemo = { shared, flag: 'a' };
    const inventory = new Inventory(operatorMemo);
    const memory = inventory.recall('a', false);
    operatorMemo.flag = 'b';
    const { memo } = memory;
    expect(memo).toEqual({ shared, flag: 'b' });
    expect(memo).not.toBe(operatorMemo);
    expect(memo.shared).toBe(shared);
    operatorMemo.flag = 'c';
    expect(memory.memo).toBe(memo);
    expect(memo.flag).toBe('b');
    expect(inventory.recall('b', false).memo).not.toBe(memo);
  });
});
