import type { Handler, Invocation, Outcome } from 'nestjs-kopf/tooling';
import type { KubeObject } from 'nestjs-kopf';
import { VirtualClock } from 'nestjs-kopf/testing';
import { Timeline } from '../run/timeline.js';
import { HandlingOracle } from './handling.oracle.js';
import { HandlingRecorder } from './handling.recorder.js';

const object: KubeObject = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', uid: '1' } };

type Cause = { readonly body?: KubeObject; readonly reason?: string };

describe('HandlingRecorder', () => {
  function recordingOf() {
    const seconds: number[] = [];
    const clock = new VirtualClock();
    const observers = {
      timeline: new Timeline(clock),
      outages: 0,
      isRejected: () => false,
      onCall: () => {},
      restDelay: { onBackgroundCall: (delay: number) => void seconds.push(delay) },
    };
    const actor = { kind: 'operator', name: 'operator', process: 1 } as const;
    const oracle = new HandlingOracle();
    const recorder = new HandlingRecorder(clock, actor, observers, oracle);
    const call = (
      handler: object,
      outcome: Omit<Outcome, 'subrefs'>,
      retry = 0,
      cause: Cause = { body: object },
    ): void => {
      const invocation = { retry } as Invocation;
      recorder.begin(handler as Handler, invocation, cause);
      recorder.end(invocation, { ...outcome, subrefs: new Set() });
    };
    return { recorder, oracle, seconds, call };
  }

  /** Lets a handler be called for the object, and fail. @returns the seconds until the calls that the run waits for */
  function callsOf(kind: string | undefined, retry: number, cause?: Cause): readonly number[] {
    const { seconds, call } = recordingOf();
    const error = new Error('It fails.');
    call({ id: 'tick', ...(kind && { kind }) }, { final: false, delay: 7, error }, retry, cause ?? {});
    return seconds;
  }

  it('should report the first calls of daemons and timers, and their retries, unless they fail permanently', () => {
    expect(callsOf('timer', 0, { body: object })).toEqual([0, 7]);
    expect(callsOf('timer', 9, { body: object })).toEqual([0, 7]);
    expect(callsOf('timer', 10, { body: object })).toEqual([0]);
  });

  it('should not report the calls of daemons and timers that have done their work once', () => {
    const { recorder, seconds, call } = recordingOf();
    call({ id: 'tick', kind: 'timer' }, { final: false, delay: 7, error: new Error('It fails.') });
    call({ id: 'tick', kind: 'timer' }, { final: true });
    expect(seconds).toEqual([0, 7]);
    expect(recorder.isRoutine({ id: 'tick' } as Handler, '1')).toBe(true);
    call({ id: 'tick', kind: 'timer' }, { final: false, delay: 7, error: new Error('It fails.') });
    expect(seconds).toEqual([0, 7]);
    call({ id: 'tock', kind: 'daemon' }, { final: false, delay: 3, error: new Error('It fails.') });
    expect(seconds).toEqual([0, 7, 0, 3]);
    expect(recorder.hasBegun('tock', '1')).toBe(true);
    expect(recorder.isRoutine({ id: 'tock' } as Handler, '1')).toBe(false);
  });

  it.each(['timer', 'daemon', 'child'])(
    'should find a %s that is called while it is at work for the object',
    (kind) => {
      const { recorder, oracle, call } = recordingOf();
      const handler = { id: 'tick', kind };
      const other = { ...object, metadata: { name: 'b', uid: '2' } };
      call(handler, { final: true });
      recorder.begin(handler as unknown as Handler, {} as Invocation, { body: object });
      call(handler, { final: true }, 0, { body: other });
      call({ ...handler, id: 'tock' }, { final: true });
      expect(oracle.violations).toEqual([]);
      recorder.begin(handler as unknown as Handler, {} as Invocation, { body: object });
      const message = "'tick' is called for ConfigMap a while it is at work";
      expect(oracle.violations).toEqual([{ check: 'overlap', message }]);
    },
  );

  it('should report the retries of each call that follows a change of children or referents', () => {
    const { recorder, seconds, call } = recordingOf();
    const follow = { id: 'follow', kind: 'child' };
    const failure = { final: false, delay: 7, error: new Error('It fails.') };
    call(follow, { final: true });
    expect(recorder.isRoutine(follow as unknown as Handler, '1')).toBe(false);
    call(follow, failure);
    call(follow, { final: true }, 1);
    expect(seconds).toEqual([0, 7]);
    call(follow, failure, 10);
    expect(recorder.isRoutine(follow as unknown as Handler, '1')).toBe(true);
    call(follow, failure, 11);
    expect(seconds).toEqual([0, 7]);
    call(follow, failure);
    expect(seconds).toEqual([0, 7, 7]);
    call(follow, { final: true, error: new Error('It fails for good.') }, 1);
    expect(recorder.isRoutine(follow as unknown as Handler, '1')).toBe(false);
  });

  it('should not report the calls of other handlers, which show in other ways, or are repeated anyway', () => {
    expect(callsOf(undefined, 0, { body: object, reason: 'create' })).toEqual([]);
    expect(callsOf(undefined, 0, { body: object })).toEqual([]);
    expect(callsOf('login', 0)).toEqual([]);
  });
});
