import type { KubeObject } from '../../objects/kube-object.js';
import type { Invocation } from '../../contexts/invocation.js';
import type { Outcome } from '../../execution/outcome.js';
import type { Handler } from '../../registry/handler.js';
import { VirtualClock } from '../../testing/virtual.clock.js';
import { Timeline } from '../run/timeline.js';
import { HandlingOracle } from './handling.oracle.js';

const object: KubeObject = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', uid: '1' } };
const REPEATED = { check: 'repetition', message: "'create' is called again for the same state of ConfigMap a" };

type Call = Parameters<HandlingOracle['begin']>[0];
type Cause = { readonly body?: KubeObject; readonly reason?: string };

/** Has a process call the handler for the object, which succeeds. @param meanwhile happens before it has ended */
function call(oracle: HandlingOracle, process = 1, meanwhile = (): void => {}, differences: Partial<Call> = {}): void {
  const described = { id: 'create', reason: 'create', attempt: 1 };
  const reference = { kind: 'ConfigMap', name: 'a' };
  const shared = {
    id: 'create',
    uid: '1',
    object: 'ConfigMap a',
    reason: 'create',
    essence: '{}',
    state: '{}',
    outages: 0,
  };
  const one: Call = { ...shared, process, described, reference, ...differences };
  oracle.begin(one);
  meanwhile();
  one.outcome ??= 'succeeded';
  oracle.end(one);
}

describe('HandlingOracle', () => {
  it('should find that a handler is called again for what is done', () => {
    const oracle = new HandlingOracle();
    call(oracle);
    call(oracle);
    expect(oracle.violations).toEqual([REPEATED]);
  });

  it('should let a handler be called again for the state before a change that it was tried for, and that is taken back', () => {
    const oracle = new HandlingOracle();
    call(oracle);
    call(oracle, 1, undefined, { outcome: 'retried', essence: '{"spec":{}}' });
    call(oracle);
    expect(oracle.violations).toEqual([]);
  });

  it('should let a handler be called again for the state before a change that only others were called for, and that is taken back', () => {
    const oracle = new HandlingOracle();
    call(oracle);
    call(oracle, 1, undefined, { id: 'other', essence: '{"spec":{}}', state: '{"spec":{}}' });
    call(oracle);
    expect(oracle.violations).toEqual([]);
  });

  it('should find that a handler is called again for what is done, though others are called in between', () => {
    const oracle = new HandlingOracle();
    call(oracle);
    call(oracle, 1, undefined, { id: 'other', essence: '{"field":1}' });
    call(oracle, 2, undefined, { id: 'stale', essence: '{"spec":{}}', state: '{"spec":{}}' });
    call(oracle);
    expect(oracle.violations).toEqual([REPEATED]);
  });

  it('should find that a handler is called again for what is done, though it fails then', () => {
    const oracle = new HandlingOracle();
    call(oracle);
    call(oracle, 1, undefined, { outcome: 'retried' });
    call(oracle);
    expect(oracle.violations).toEqual([REPEATED]);
  });

  it('should name the handler that fails again and again, unless it has succeeded since', () => {
    const oracle = new HandlingOracle();
    call(oracle, 1, undefined, { outcome: 'retried' });
    expect(oracle.mostFailing).toBe("'create' for ConfigMap a fails again and again");
    call(oracle);
    expect(oracle.mostFailing).toBeUndefined();
  });

  it('should let a handler be called again after a crash', () => {
    const oracle = new HandlingOracle();
    call(oracle);
    oracle.onCrash(1);
    call(oracle, 2);
    expect(oracle.violations).toEqual([]);
  });

  it.each([1, 2])(
    'should let process %i call a handler again whose outcome an expired leader was not to store',
    (by) => {
      const oracle = new HandlingOracle();
      call(oracle, 1, () => {
        oracle.onFreeze(1);
        oracle.onExpiry(1);
      });
      call(oracle, by);
      expect(oracle.violations).toEqual([]);
    },
  );

  it('should find that a handler is called again whose outcome was stored before the leadership expired', () => {
    const oracle = new HandlingOracle();
    call(oracle);
    oracle.onWrite(1, object);
    oracle.onExpiry(1);
    call(oracle);
    expect(oracle.violations).toEqual([REPEATED]);
  });

  it('should not take the writes of other processes, or those before the end of the call, for its outcome', () => {
    const oracle = new HandlingOracle();
    call(oracle, 1, () => oracle.onWrite(1, object));
    oracle.onWrite(2, object);
    oracle.onExpiry(1);
    call(oracle);
    expect(oracle.violations).toEqual([]);
  });

  it('should find a write of a replica that has stood still, until it has renewed its claim', () => {
    const oracle = new HandlingOracle();
    call(oracle, 1, () => oracle.onFreeze(1));
    call(oracle, 2);
    oracle.onRenewal(1);
    oracle.onWrite(1, object);
    expect(oracle.violations.filter(({ check }) => check === 'overlap')).toEqual([]);
    oracle.onFreeze(1);
    call(oracle, 2);
    oracle.onWrite(1, object);
    expect(oracle.violations).toContainEqual({
      check: 'overlap',
      message: 'ConfigMap a is written by a replica that has stood still, though another one has taken it over',
    });
  });
});

describe('HandlingRecorder', () => {
  function recordingOf() {
    const seconds: number[] = [];
    const clock = new VirtualClock();
    const observers = {
      timeline: new Timeline(clock),
      outages: 0,
      onCall: () => {},
      restDelay: { onBackgroundCall: (delay: number) => void seconds.push(delay) },
    };
    const actor = { kind: 'operator', name: 'operator', process: 1 } as const;
    const recorder = new HandlingOracle().recorderOf(actor, clock, observers);
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
    return { recorder, seconds, call };
  }

  /** Has a handler called for the object, and fail. @returns the seconds until the calls that are waited for */
  function callsOf(kind: string | undefined, retry: number, cause?: Cause): readonly number[] {
    const { seconds, call } = recordingOf();
    const error = new Error('It fails.');
    call({ id: 'tick', ...(kind && { kind }) }, { final: false, delay: 7, error }, retry, cause ?? {});
    return seconds;
  }

  it('should tell of the first calls of daemons and timers, and of their retries, unless they fail for ever', () => {
    expect(callsOf('timer', 0, { body: object })).toEqual([0, 7]);
    expect(callsOf('timer', 9, { body: object })).toEqual([0, 7]);
    expect(callsOf('timer', 10, { body: object })).toEqual([0]);
  });

  it('should not tell of the calls of daemons and timers that have done their work once', () => {
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

  it('should not tell of the calls of other handlers, which are known by other signs, or come again by themselves', () => {
    expect(callsOf(undefined, 0, { body: object, reason: 'create' })).toEqual([]);
    expect(callsOf(undefined, 0, { body: object })).toEqual([]);
    expect(callsOf('login', 0)).toEqual([]);
  });
});
