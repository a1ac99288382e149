import { VirtualClock } from 'nestjs-kopf/testing';
import { WorldProcess } from './world.process.js';

describe('WorldProcess', () => {
  let clock: VirtualClock;
  let process: WorldProcess;
  let seen: string[];

  beforeEach(() => {
    clock = new VirtualClock();
    process = new WorldProcess(clock, 0);
    seen = [];
  });

  /** Freezes the process while two of its timers become due and an answer arrives. */
  async function standStill(): Promise<void> {
    process.setTimer(() => seen.push('first timer'), 1000);
    process.setTimer(() => seen.push('second timer'), 2000);
    process.freeze();
    void process.thawed?.then(() => seen.push('answer'));
    await clock.advance(10_000);
    expect(seen).toEqual([]);
  }

  it.each([
    ['timers', ['first timer', 'second timer', 'answer']],
    ['answers', ['answer', 'first timer', 'second timer']],
  ] as const)('should continue with the %s first after a freeze', async (first, expected) => {
    await standStill();
    process.thaw(first);
    expect(process.thawed).toBeUndefined();
    await clock.advance(0);
    expect(seen).toEqual(expected);
    expect(process.timersLeft).toBe(0);
  });

  it('should call no late timers if it is frozen again, or is killed', async () => {
    await standStill();
    process.thaw('answers');
    process.freeze();
    await clock.advance(0);
    expect(seen).toEqual(['answer']);
    process.thaw('answers');
    process.kill();
    await clock.advance(0);
    expect(seen).toEqual(['answer']);
  });
});
