import { EventLoopTurns } from './event-loop.turns.js';

describe('EventLoopTurns', () => {
  it('should let the event loop turn once as many steps are done as are allowed, and then begin again', async () => {
    const turns = new EventLoopTurns(undefined, 2);
    let turned = false;
    setImmediate(() => (turned = true));
    expect([turns.step(), turns.step()]).toEqual([undefined, undefined]);
    await turns.step();
    expect(turned).toBe(true);
    expect(turns.step()).toBeUndefined();
  });

  it('should not count the steps of earlier turns', async () => {
    const turns = new EventLoopTurns(undefined, 1);
    for (let step = 0; step < 5; step++) {
      expect(turns.step()).toBeUndefined();
      await new Promise((resolve) => setImmediate(resolve));
    }
  });

  it('should let the event loop turn once steps have taken long, however few they are', async () => {
    let time = 0;
    const turns = new EventLoopTurns({ monotonic: () => time });
    expect(turns.step()).toBeUndefined();
    time += 10;
    expect(turns.step()).toBeUndefined();
    time += 1;
    await expect(turns.step()).resolves.toBeUndefined();
    expect(turns.step()).toBeUndefined();
  });
});
