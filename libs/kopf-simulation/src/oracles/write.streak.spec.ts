import type { KubeObject } from 'nestjs-kopf';
import { WriteStreak } from './write.streak.js';

const LONG = 600_000;

function disk(size: number, annotations: Readonly<Record<string, string>> = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Disk',
    metadata: { name: 'a', uid: 'u', resourceVersion: String(size + Object.keys(annotations).length), annotations },
    status: { size },
  };
}

/** Records that an object is brought into one state after another, by which the streak has found a repetition or not. */
function find(states: readonly KubeObject[], { isLoop = false, from = LONG } = {}): string | undefined {
  const streak = new WriteStreak();
  streak.begin(0);
  states.forEach((state, index) => streak.note(from + index, isLoop, state, states[index - 1], () => 'Disk a'));
  return streak.repetition;
}

const alternating = (times: number): readonly KubeObject[] =>
  Array.from({ length: times }, (_, index) => disk(index % 2));

describe('WriteStreak', () => {
  it('should find that an operator brings an object into the same states again and again', () => {
    expect(find(alternating(18))).toBeUndefined();
    expect(find(alternating(20))).toBe('Disk a');
  });

  it('should compare nothing before ten minutes are over, unless the operator is in a hot loop', () => {
    expect(find(alternating(50), { from: 0 })).toBeUndefined();
    expect(find(alternating(50), { from: 0, isLoop: true })).toBe('Disk a');
  });

  it('should find nothing while there are new states', () => {
    expect(find(Array.from({ length: 50 }, (_, index) => disk(index)))).toBeUndefined();
    expect(find([...alternating(30), disk(7)])).toBeUndefined();
  });

  it('should leave out what the framework itself stores', () => {
    const attempts = Array.from({ length: 50 }, (_, index) =>
      disk(1, { 'kopf.zalando.org/create': String(index % 2) }),
    );
    expect(find(attempts)).toBeUndefined();
  });
});
