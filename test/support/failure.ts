/** What a promise is rejected with, for a test to look at. */
export function failure(promise: Promise<unknown>): Promise<any> {
  return promise.then(
    () => expect.unreachable('should have failed'),
    (error: unknown) => error,
  );
}
