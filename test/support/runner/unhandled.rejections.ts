import { setImmediate as macrotask } from 'node:timers/promises';

/** Makes the tests of a `describe` fail if they leave an unhandled rejection behind. */
export function failOnUnhandledRejections(): void {
  let rejections: unknown[];
  const onRejection = (error: unknown): void => void rejections.push(error);

  beforeEach(() => {
    rejections = [];
    process.on('unhandledRejection', onRejection);
  });

  afterEach(async () => {
    // Rejections are reported after the microtasks in which they could have been handled.
    await macrotask();
    process.off('unhandledRejection', onRejection);
    expect(rejections).toEqual([]);
  });
}
