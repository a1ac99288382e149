import { mergeThreeWays } from './three-way.merge.js';

const ORIGINAL = 'a\nb\nc\nd\ne\nf\n';

describe('mergeThreeWays', () => {
  it.each([
    ['nothing was edited', ORIGINAL, 'a\nB\nc\nd\ne\nf\n', 'a\nB\nc\nd\ne\nf\n'],
    ['nothing is new', 'a\nB\nc\nd\ne\nf\n', ORIGINAL, 'a\nB\nc\nd\ne\nf\n'],
    ['both have changed the same', 'a\nB\nc\nd\ne\nf\n', 'a\nB\nc\nd\ne\nf\n', 'a\nB\nc\nd\ne\nf\n'],
    ['both have changed something', 'a\nB\nc\nd\ne\nf\n', 'a\nb\nc\nd\nE\nf\n', 'a\nB\nc\nd\nE\nf\n'],
    ['lines were added and removed', 'x\na\nb\nc\nd\ne\nf\n', 'a\nb\nc\ne\nf\ng\n', 'x\na\nb\nc\ne\nf\ng\n'],
    ['both have removed a line', 'a\nc\nd\ne\nf\n', 'a\nc\nd\ne\nF\n', 'a\nc\nd\ne\nF\n'],
  ])('should merge if %s', (_what, edited, generated, text) => {
    expect(mergeThreeWays(ORIGINAL, edited, generated)).toEqual({ text, conflicts: 0 });
  });

  it('should show both where both have changed the same lines', () => {
    const merged = mergeThreeWays(ORIGINAL, 'a\nb\nmine\nd\ne\nF\n', 'A\nb\nnew\nd\ne\nf\n');
    const text = 'A\nb\n<<<<<<< edited\nmine\n=======\nnew\n>>>>>>> generated\nd\ne\nF\n';
    expect(merged).toEqual({ text, conflicts: 1 });
  });
});
