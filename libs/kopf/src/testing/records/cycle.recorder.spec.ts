import type { KubeObject } from '../../objects/kube-object.js';
import { CycleRecorder } from './cycle.recorder.js';

const version = (resourceVersion: string): KubeObject =>
  ({ metadata: { name: 'a', uid: 'u', resourceVersion } }) as KubeObject;

describe('CycleRecorder', () => {
  it('should know the version that was processed, once nothing is done about the object any more', () => {
    const cycles = new CycleRecorder();
    cycles.begin(version('1'));
    expect(cycles.hasProcessed(version('1'))).toBe(false);
    cycles.end(version('1'));
    expect(cycles.hasProcessed(version('1'))).toBe(true);
    expect(cycles.hasProcessed(version('2'))).toBe(false);
  });

  it('should know that a cycle has ended since an object began to be read', () => {
    const cycles = new CycleRecorder();
    cycles.begin(version('1'));
    const { total } = cycles;
    expect(cycles.hasEndedSince(total, version('1'))).toBe(false);
    cycles.end(version('1'));
    expect(cycles.hasEndedSince(total, version('1'))).toBe(true);
    expect(cycles.hasEndedSince(cycles.total, version('1'))).toBe(false);
  });
});
