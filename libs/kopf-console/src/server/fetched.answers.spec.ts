import { VirtualClock } from 'nestjs-kopf/testing';
import { FetchedAnswers } from './fetched.answers.js';

/** A source of prepared answers about objects, which counts how often it is asked. */
class FetchingWorld {
  readonly clock = new VirtualClock();
  readonly fetched = new FetchedAnswers(this.clock);
  asked = 0;
  answers: Record<string, unknown> = {};

  fetch(question: string): void {
    this.fetched.record('objects', question, this.answers[question], () => {
      this.asked += 1;
      return this.answers[question];
    });
  }

  get areOld(): boolean {
    return this.fetched.areOld('objects');
  }
}

describe('The answers that tabs have fetched', () => {
  it('should be old as long as none is known', () => {
    const world = new FetchingWorld();
    expect(world.areOld).toBe(true);
    world.answers = { a: { rows: [1] } };
    world.fetch('a');
    expect(world.areOld).toBe(false);
    expect(world.fetched.areOld('now')).toBe(true);
    world.fetched.forget('objects');
    expect(world.areOld).toBe(true);
  });

  it('should be old once one of them is another one, but for the time at which it was given', () => {
    const world = new FetchingWorld();
    world.answers = { a: { now: 1, rows: [1] }, b: { now: 1, rows: [2] } };
    for (const question of ['a', 'b']) world.fetch(question);
    world.answers = { a: { now: 2, rows: [1] }, b: { now: 2, rows: [2] } };
    expect(world.areOld).toBe(false);
    world.answers.b = { now: 2, rows: [3] };
    expect(world.areOld).toBe(true);
  });

  it('should be old when a tab has got another answer than the tab before it', () => {
    const world = new FetchingWorld();
    world.answers = { a: 1 };
    world.fetch('a');
    world.answers = { a: 2 };
    world.fetch('a');
    expect(world.areOld).toBe(true);
  });

  it('should be old when they cannot be compared: the answer comes later, or fails', () => {
    const world = new FetchingWorld();
    world.answers = { a: 1 };
    world.fetch('a');
    world.answers = { a: Promise.reject(new Error('gone')) };
    expect(world.areOld).toBe(true);
    world.fetched.record('now', '', 1, () => {
      throw new Error('gone');
    });
    expect(world.fetched.areOld('now')).toBe(true);
  });

  it('should not be compared if they are many, or have been kept for long', async () => {
    const world = new FetchingWorld();
    for (let index = 0; index < 9; index++) {
      world.answers[index] = index;
      world.fetch(String(index));
    }
    expect([world.areOld, world.asked]).toEqual([true, 0]);
    world.fetched.forget('objects');
    world.fetch('0');
    await world.clock.advance(14_000);
    expect([world.areOld, world.asked]).toEqual([false, 1]);
    await world.clock.advance(1000);
    expect([world.areOld, world.asked]).toEqual([true, 1]);
  });
});
