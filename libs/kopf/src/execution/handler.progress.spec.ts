import { HandlerProgress } from './handler.progress.js';

const NOW = Date.UTC(2021, 0, 1);
const record = { started: '2021-01-01T00:00:00.000000+00:00', purpose: 'create', retries: 1, tried: '{"spec":1}' };

describe('HandlerProgress', () => {
  it('should know what an attempt was made with, as long as the handler has not finished', () => {
    expect(HandlerProgress.restored({ ...record, success: false, failure: false }, NOW).tried).toBe('{"spec":1}');
  });

  it.each([{ success: true }, { failure: true }])(
    'should ignore what a late write has left beside the end of a handler, and remove it: %o',
    (end) => {
      const progress = HandlerProgress.restored({ ...record, ...end }, NOW);
      expect(progress.tried).toBeUndefined();
      expect(progress.changed).toBe(true);
      expect(progress.toRecord()).toMatchObject({ tried: null });
    },
  );
});
