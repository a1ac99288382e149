import { getEventListeners } from 'node:events';
import { LinkedSignal } from './linked.signal.js';
import { fenceOf, fenceSignal } from './request.fence.js';

describe('LinkedSignal', () => {
  let sources: AbortController[];
  let linked: LinkedSignal;

  const listeners = () => sources.map(({ signal }) => getEventListeners(signal, 'abort').length);

  beforeEach(() => {
    sources = [new AbortController(), new AbortController()];
    linked = new LinkedSignal(...sources.map(({ signal }) => signal));
  });

  it('should be aborted with any of its sources, for the same reason', () => {
    sources[1].abort('enough');
    expect(linked.signal.reason).toBe('enough');
    expect(listeners()).toEqual([0, 0]);
  });

  it('should have the fence of its sources', () => {
    const fence = { isOpen: false, pending: undefined, reason: new Error('closed') };
    expect(fenceOf(linked.signal)).toBeUndefined();
    fenceSignal(sources[1].signal, fence);
    const late = new LinkedSignal(sources[0].signal, sources[1].signal);
    expect([fenceOf(late.signal), fenceOf(new LinkedSignal(late.signal).signal)]).toEqual([fence, fence]);
  });

  it('should be aborted by itself, without its sources', () => {
    linked.abort('enough');
    expect(linked.signal.reason).toBe('enough');
    expect(sources.map(({ signal }) => signal.aborted)).toEqual([false, false]);
    expect(listeners()).toEqual([0, 0]);
  });

  it('should be aborted from the beginning if a source is', () => {
    sources[1].abort('enough');
    const late = new LinkedSignal(sources[0].signal, sources[1].signal);
    expect(late.signal.reason).toBe('enough');
    expect(listeners()).toEqual([0, 0]);
  });

  it('should let any number of signals have one source, without any warning of a leak', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    for (let index = 0; index < 20; index++) new LinkedSignal(sources[0].signal);
    await new Promise(setImmediate);
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  it('should not be aborted any more after it was released', () => {
    linked.release();
    sources[0].abort();
    expect(linked.signal.aborted).toBe(false);
    expect(listeners()).toEqual([0, 0]);
  });
});
