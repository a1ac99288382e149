import { VirtualClock } from '../testing/time/virtual.clock.js';
import { Backpressure } from './backpressure.js';

/** A backpressure with a limit of two, and objects that try to enter. */
function prepare() {
  const clock = new VirtualClock();
  const backpressure = new Backpressure(clock, () => 2);
  const entered: string[] = [];
  const enter = (name: string, onEntered = (): unknown => undefined): void => {
    const begin = (): void => {
      entered.push(name);
      onEntered();
    };
    const waiting = backpressure.enter();
    if (waiting) void waiting.then(begin);
    else begin();
  };
  /** A patch that takes as long as the test wants. */
  const patch = (): (() => void) => {
    backpressure.beginPatch();
    return () => backpressure.endPatch();
  };
  return { clock, entered, enter, patch };
}

describe('Backpressure', () => {
  it('should let in as many as the limit at once, and others in the next tick', async () => {
    const { clock, entered, enter } = prepare();
    for (const name of ['a', 'b', 'c', 'd', 'e']) enter(name);
    expect(entered).toEqual(['a', 'b']);
    await clock.advance(0);
    expect(entered).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('should hold others back while as many patches are under way, in the order of their coming', async () => {
    const { clock, entered, enter, patch } = prepare();
    const finishes = [patch(), patch()];
    const enterAndPatch = (name: string): void => enter(name, () => finishes.push(patch()));
    for (const name of ['a', 'b', 'c']) enterAndPatch(name);
    await clock.advance(60_000);
    expect(entered).toEqual([]);
    finishes[0]();
    await clock.advance(60_000);
    expect(entered).toEqual(['a']);
    finishes[1]();
    await clock.advance(60_000);
    expect(entered).toEqual(['a', 'b']);
    finishes[2]();
    await clock.advance(60_000);
    expect(entered).toEqual(['a', 'b', 'c']);
  });

  it('should not be held up by those who patch nothing', async () => {
    const { clock, entered, enter } = prepare();
    for (let index = 0; index < 1000; index++) enter(String(index));
    await clock.advance(0);
    expect(entered).toHaveLength(1000);
  });

  it('should let in an object at once while fewer patches than the limit are under way', async () => {
    const { entered, enter, patch } = prepare();
    const finishes = [patch(), patch()];
    finishes[0]();
    enter('a');
    expect(entered).toEqual(['a']);
  });

  it('should leave no timer behind', async () => {
    const { clock, enter } = prepare();
    for (const name of ['a', 'b', 'c', 'd', 'e']) enter(name);
    await clock.advance(0);
    expect(clock.pending).toBe(0);
  });
});
