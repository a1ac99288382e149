import { PermanentError, TemporaryError, type Clock } from 'nestjs-kopf';
import type { RetryOptions } from 'nestjs-kopf/decorators';
import type { Draw } from './random.draw.js';

/** The way in which a handler fails before it succeeds: the same way each time, as it depends on the number of the attempt only. */
export interface Trouble {
  readonly options: RetryOptions;
  /** Waits, then throws or returns. */
  meet(retry: number, clock: Clock): Promise<void>;
}

/** The kinds of trouble that let a handler end without having done its work. */
const FATAL = ['ignored', 'permanent', 'exhausted'];

/** Draws the trouble of a handler. @param canBeFatal lets the handler end without success in the end */
export function drawTrouble(draw: Draw, canBeFatal = false): Trouble {
  const pause = draw.one([0, 0, 0, 10, 400, 3000]);
  const kind = draw.one(['none', 'none', 'none', 'temporary', 'plain', 'ignored', 'permanent', 'exhausted'] as const);
  const failures = 1 + draw.number(3);
  const delay = draw.one([null, 0.5, 3, 70]);
  const make = (options: RetryOptions, fail: (retry: number) => void): Trouble => ({
    options,
    async meet(retry, clock) {
      if (pause > 0) await new Promise<void>((resolve) => void clock.setTimer(resolve, pause));
      fail(retry);
    },
  });
  const failFirst = (retry: number): void => {
    if (retry < failures) throw new Error(`It fails ${failures} times.`);
  };
  switch (canBeFatal || !FATAL.includes(kind) ? kind : 'none') {
    case 'none':
      return make({}, () => {});
    case 'temporary':
      return make({}, (retry) => {
        if (retry < failures) throw new TemporaryError('It is too early.', { delay });
      });
    case 'plain':
      return make({ backoff: draw.one([0.1, 2, 30]) }, failFirst);
    case 'ignored':
      return make({ errors: 'ignored' }, failFirst);
    case 'permanent':
      return make({}, () => {
        throw new PermanentError('It never works.');
      });
    case 'exhausted':
      return make({ retries: failures, backoff: 1 }, failFirst);
  }
}
