import { decideUsage, isSelected } from './usage.js';

const pod = (phase?: string) => ({ metadata: {}, status: { phase } });

describe('decideUsage', () => {
  it.each([
    ['no pods yet', { waitAtMost: 10 }, 5, [], false, 'Waiting', false],
    ['no pods for too long', { waitAtMost: 10 }, 10, [], false, 'Expired', false],
    ['no limit', {}, 1e9, [], false, 'Waiting', false],
    ['a pod that cannot start', { waitAtMost: 10 }, 11, [pod('Pending')], false, 'Expired', false],
    ['a pod without a status', {}, 1, [pod()], false, 'Waiting', false],
    ['a running pod', { waitAtMost: 10 }, 100, [pod('Running')], false, 'InUse', true],
    ['a finished and a pending pod', {}, 5, [pod('Failed'), pod('Pending')], false, 'InUse', true],
    ['finished pods', {}, 5, [pod('Succeeded'), pod('Failed')], false, 'Finished', true],
    ['finished pods, too early', { waitAtLeast: 10 }, 5, [pod('Succeeded')], false, 'InUse', true],
    ['pods that have gone', { waitAtLeast: 10 }, 11, [], true, 'Finished', true],
  ] as const)('should see %s', (_what, spec, age, pods, usedBefore, phase, used) => {
    expect(decideUsage(spec, age, pods, usedBefore)).toEqual({ phase, used });
  });
});

describe('isSelected', () => {
  const spec = { podSelector: { matchLabels: { app: 'a', tier: 'b' } } };

  it.each([
    [{ app: 'a', tier: 'b', other: 'c' }, true],
    [{ app: 'a' }, false],
    [undefined, false],
  ])('should tell of labels %j: %s', (labels, expected) => {
    expect(isSelected(spec, { metadata: { labels } })).toBe(expected);
  });

  it('should select nothing without labels to match', () => {
    expect(isSelected({ podSelector: {} }, { metadata: { labels: { app: 'a' } } })).toBe(false);
  });
});
