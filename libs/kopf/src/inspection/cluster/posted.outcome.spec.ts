import type { KubeObject } from '../../objects/kube-object.js';
import { readPostedOutcome, type PostedOutcome } from './posted.outcome.js';

const event = (message: unknown, reason = 'Logging'): KubeObject => ({ metadata: {}, reason, message });

describe('readPostedOutcome', () => {
  it.each<[message: string, PostedOutcome]>([
    ["Handler 'create_fn' succeeded.", { handler: 'create_fn', outcome: 'succeeded' }],
    ["Handler 'a/spec.x' failed temporarily: no disk", { handler: 'a/spec.x', outcome: 'retried', error: 'no disk' }],
    ["Handler 'a' failed permanently: no way: never", { handler: 'a', outcome: 'failed', error: 'no way: never' }],
    [
      "Handler 'a' failed temporarily but will exceed 3 retries: no disk",
      { handler: 'a', outcome: 'failed', error: 'no disk' },
    ],
    [
      "Timer 'a' failed with an exception and will try again in 60 seconds: 'size'\nTraceback (most recent call last):\n  File",
      { handler: 'a', outcome: 'retried', error: "'size'" },
    ],
    [
      "Handler 'a' failed with an exception and will stop now (it would time out in 5 seconds on the next attempt): x",
      { handler: 'a', outcome: 'failed', error: 'x' },
    ],
    ["Daemon 'a' failed with an exception and will stop now: x", { handler: 'a', outcome: 'failed', error: 'x' }],
    ["Handler 'a' failed with an exception and will ignore it: x", { handler: 'a', outcome: 'succeeded', error: 'x' }],
    ["Handler 'a' has exceeded 3 retries.", { handler: 'a', outcome: 'failed', error: 'has exceeded 3 retries.' }],
  ])('should read %j', (message, outcome) => {
    expect(readPostedOutcome(event(message))).toEqual(outcome);
  });

  it.each<[string, KubeObject]>([
    ['events of handlers themselves', event("Handler 'a' succeeded.", 'Created')],
    ['other log lines', event('Creation is processed: 1 succeeded; 0 failed.')],
    ['lines about other stages', event("Handler 'a' is invoked.")],
    ['events without a message', event(undefined)],
  ])('should not take for an outcome: %s', (_what, each) => {
    expect(readPostedOutcome(each)).toBeUndefined();
  });
});
