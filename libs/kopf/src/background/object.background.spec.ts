import type { CauseOrigin } from '../contexts/object.causes.js';
import type { KubeObject } from '../objects/kube-object.js';
import { ObjectBackground } from './object.background.js';

const version = (resourceVersion: string, uid = 'u'): KubeObject => ({ metadata: { name: 'a', uid, resourceVersion } });

describe('ObjectBackground', () => {
  let background: ObjectBackground;

  beforeEach(() => {
    background = new ObjectBackground({} as CauseOrigin, 0);
    background.replaceBody(version('9'));
  });

  it('should know the state that a patch has left, until the watch has come as far', () => {
    background.recordPatched(version('12'));
    background.replaceBody(version('10'));
    expect([background.newest, background.body]).toEqual([version('12'), version('10')]);
    background.replaceBody(version('13'));
    expect(background.newest).toBe(background.body);
  });

  it.each([
    ['older', version('8')],
    ['of another object', version('12', 'another')],
    ['not comparable', version('x1')],
  ])('should keep to what the watch shows where the state of a patch is %s', (_, patched) => {
    background.recordPatched(patched);
    expect(background.newest).toEqual(version('9'));
  });
});
