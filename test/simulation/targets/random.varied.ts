import {
  ABSENT,
  anyOf,
  Daemon,
  not,
  OnCleanup,
  OnCreate,
  OnDelete,
  OnUpdate,
  PermanentError,
  PRESENT,
  TemporaryError,
  Timer,
  type ActivityContext,
  type Clock,
  type DaemonContext,
  type ErrorHandler,
  type TimerContext,
} from 'nestjs-kopf';
import type { CreateOptions, DaemonOptions, RetryOptions, TimerOptions, UpdateOptions } from 'nestjs-kopf/decorators';
import { OperatorBuilder, RESOURCE, type Change, type RandomSpec } from './random.builder.js';
import { drawTrouble } from './random.trouble.js';

/** Adds handlers with options that are rarer. All of their ids end with `if`, as what they do depends on what was seen, and on time. */
export class VariedBuilder extends OperatorBuilder {
  /** Draws which of them there are. */
  addVariety(): void {
    const { draw } = this;
    if (draw.percent(50)) this.addLimited();
    if (draw.percent(50)) this.addFiltered();
    if (draw.percent(50)) this.addOptional();
    if (draw.percent(50)) this.addWorker();
    if (draw.percent(50)) this.addClock();
    if (draw.percent(30)) this.addCleanup();
  }

  /** Adds a handler whose attempts are limited by time, or whose errors are decided on. */
  private addLimited(): void {
    const { draw } = this;
    const pause = draw.one([0, 500, 6000]);
    const onError = draw.one<ErrorHandler>([
      () => 'ignored',
      () => new TemporaryError('It is decided.', { delay: 2 }),
      () => new PermanentError('It is decided.'),
      ({ message }: Error) => {
        throw new Error(`The decision fails: ${message}`);
      },
    ]);
    const limits = draw.one<RetryOptions>([
      { timeout: 4, backoff: 1.5 },
      { timeout: 100, backoff: 3 },
      { errors: 'permanent' },
      { onError, backoff: 1, retries: 4 },
    ]);
    const options = { ...this.common, ...limits };
    this.add(
      'limited-if',
      [OnCreate(RESOURCE, options), OnUpdate(RESOURCE, options)],
      async (parts, context: Change) => {
        await waitFor(parts.clock, pause, context.signal);
        if (context.retry < 2) throw new Error('It fails 2 times.');
        await parts.run.act('limited-if', context.name, context.uid);
      },
    );
  }

  /** Adds a handler with filters of values. */
  private addFiltered(): void {
    const { draw } = this;
    const trouble = drawTrouble(draw, true);
    const isLarge = (size?: number): boolean => size !== undefined && size > 4;
    const shared = draw.one<CreateOptions>([
      { field: 'spec.colour', value: PRESENT },
      { field: 'spec.colour', value: 'red' },
      { field: 'spec.size', value: isLarge },
      { labels: { team: ABSENT } },
      { labels: { team: (value) => value !== 'blue' }, annotations: { checked: ABSENT } },
      { when: anyOf([({ labels }) => 'guarded' in labels, not(({ spec }) => isLarge((spec as RandomSpec).size))]) },
    ]);
    const changed = draw.one<UpdateOptions>([
      { field: 'spec.size', old: isLarge },
      { field: 'spec.size', new: isLarge },
      { field: 'spec.colour', old: ABSENT, new: PRESENT },
    ]);
    const [first, second] = [shared, changed].map((filters) => ({ ...this.common, ...trouble.options, ...filters }));
    this.add('chosen-if', [OnCreate(RESOURCE, first), OnUpdate(RESOURCE, first)], (parts, context: Change) =>
      this.act(parts, 'chosen-if', trouble, context),
    );
    this.add('changed-if', [OnUpdate(RESOURCE, second)], (parts, context: Change) =>
      this.act(parts, 'changed-if', trouble, context),
    );
  }

  /** Adds a handler of deletions that does not hold the object, and may not be called. */
  private addOptional(): void {
    const trouble = drawTrouble(this.draw);
    const options = { ...this.common, ...trouble.options, optional: true };
    this.add('optional-if', [OnDelete(RESOURCE, options)], (parts, context: Change) =>
      this.act(parts, 'optional-if', trouble, context),
    );
  }

  /** Adds a daemon that fails at first, and ends by itself or stops slowly. */
  private addWorker(): void {
    const { draw } = this;
    const trouble = drawTrouble(draw, true);
    const isEnding = draw.percent(50);
    const lateness = draw.one([0, 3000]);
    const options: DaemonOptions = {
      ...this.common,
      ...trouble.options,
      ...draw.one<DaemonOptions>([{}, { initialDelay: 4 }, { initialDelay: () => 90 }]),
      ...draw.one<DaemonOptions>([{}, { cancellationBackoff: 2 }, { cancellationBackoff: 1, cancellationTimeout: 5 }]),
      ...draw.one<DaemonOptions>([{}, { field: 'spec.colour' }, { labels: { guarded: ABSENT } }]),
    };
    this.add('work-if', [Daemon(RESOURCE, options)], async ({ clock }, { retry, stopped, patch }: DaemonContext) => {
      await trouble.meet(retry, clock);
      patch.status['work-if'] = 'worked';
      if (isEnding) return;
      while (!stopped.isSet) await stopped.wait(20);
      await waitFor(clock, lateness);
    });
  }

  /** Adds a timer that waits for quiet, for a time of day, or for nothing, and may fail. */
  private addClock(): void {
    const { draw } = this;
    const trouble = drawTrouble(draw, true);
    const pace = draw.one<TimerOptions>([
      {},
      { idle: 12 },
      { idle: 12, interval: 9 },
      { cron: '* * * * *' },
      { cron: '*/20 * * * * *', timeZone: 'Europe/Berlin' },
      { interval: 10, field: 'spec.colour' },
      { interval: 10, labels: { guarded: PRESENT } },
    ]);
    const options = { ...this.common, ...trouble.options, ...pace };
    this.add('clock-if', [Timer(RESOURCE, options)], async ({ clock }, { retry, patch }: TimerContext) => {
      await trouble.meet(retry, clock);
      patch.status['clock-if'] = 'ticked';
    });
  }

  /** Adds a handler of the operator's end, which fails at first. */
  private addCleanup(): void {
    this.add('clean', [OnCleanup({ backoff: 1 })], (_parts, { retry }: ActivityContext) => {
      if (retry < 1) throw new Error('It fails once.');
    });
  }
}

/** Waits for some milliseconds, unless the signal is aborted before. */
function waitFor(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (milliseconds === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(resolve, milliseconds);
    signal?.addEventListener('abort', () => {
      timer.cancel();
      reject(signal.reason as Error);
    });
  });
}
