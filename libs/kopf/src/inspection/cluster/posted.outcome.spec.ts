import { formatTimestamp } from 'kube-common';
import type { KubeObject } from '../../objects/kube-object.js';
import { findPostedFailures, readPostedOutcome, type PostedOutcome } from './posted.outcome.js';

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

describe('findPostedFailures', () => {
  const FAILED = "Handler 'a' failed permanently: no";
  const ALL_DONE = 'Update is processed: 1 succeeded; 0 failed.';

  it.each<[string, readonly string[], readonly string[]]>([
    ['a failure', [FAILED], ['a']],
    ['no failure before a success of the handler', [FAILED, "Handler 'a' succeeded."], []],
    ['no failure before another attempt', [FAILED, "Handler 'a' failed temporarily: no"], []],
    ['no failure before a handling without failures', [FAILED, ALL_DONE], []],
    ['a failure after a success', [ALL_DONE, "Handler 'b' succeeded.", FAILED], ['a']],
  ])('should find %s, in whatever order events are listed', (_what, messages, handlers) => {
    const events = messages.map((message, index) => {
      return { ...event(message), lastTimestamp: formatTimestamp((index + 1) * 1000) };
    });
    const found = findPostedFailures(events.toReversed());
    expect(found.map(({ handler }) => handler)).toEqual(handlers);
    expect(found.map(({ at }) => at)).toEqual(handlers.map(() => messages.length * 1000));
  });
});
