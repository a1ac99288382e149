import type { KubeObject } from 'nestjs-kopf';
import { essenceOf } from './called.essence.js';
import { HandlingOracle } from './handling.oracle.js';

const object: KubeObject = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', uid: '1' } };
const REPEATED = { check: 'repetition', message: "'create' is called again for the same state of ConfigMap a" };

type Call = Parameters<HandlingOracle['begin']>[0];

/** Lets a process call the handler for the object, which succeeds. @param during called before the handler ends */
function call(oracle: HandlingOracle, process = 1, during = (): void => {}, differences: Partial<Call> = {}): void {
  const described = { id: 'create', reason: 'create', attempt: 1 };
  const reference = { kind: 'ConfigMap', name: 'a' };
  const shared = {
    id: 'create',
    uid: '1',
    object: 'ConfigMap a',
    reason: 'create',
    essence: '{}',
    state: '{}',
    version: 1,
    isDeleting: false,
    outages: 0,
    isRejected: false,
    begun: 0,
  };
  const one: Call = { ...shared, process, described, reference, ...differences };
  oracle.begin(one);
  during();
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
    oracle.onCycleEnd(1, '1');
    oracle.onExpiry(1);
    call(oracle);
    expect(oracle.violations).toEqual([REPEATED]);
  });

  it('should not take for stored what is written, or done by other processes, for other objects, or before the end of the call', () => {
    const oracle = new HandlingOracle();
    call(oracle, 1, () => oracle.onCycleEnd(1, '1'));
    oracle.onWrite(1, object);
    oracle.onCycleEnd(2, '1');
    oracle.onCycleEnd(1, '2');
    oracle.onExpiry(1);
    call(oracle);
    expect(oracle.violations).toEqual([]);
  });

  it('should find a write of a replica that was frozen, until it has renewed its leadership', () => {
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
      message: 'ConfigMap a is written by a replica that was frozen, though another one has taken it over',
    });
  });
  it('should ignore what a process still begins at the moment of its freeze', () => {
    const oracle = new HandlingOracle();
    oracle.onFreeze(1);
    call(oracle, 1, () => call(oracle, 2));
    expect(oracle.violations.filter(({ check }) => check === 'overlap')).toEqual([]);
  });

  it('should find that a frozen process begins something when it continues, while another one is at work', () => {
    const oracle = new HandlingOracle();
    oracle.onFreeze(1);
    oracle.onThaw(1);
    call(oracle, 1, () => call(oracle, 2));
    expect(oracle.violations).toContainEqual({
      check: 'overlap',
      message: "'create' is called for ConfigMap a while 'create' is at work",
    });
  });

  it('should let a handler be called once more when what it has wanted to store was rejected, if that counts as an attempt', () => {
    const violationsOf = (attempt: number, isRejected = true) => {
      const oracle = new HandlingOracle();
      call(oracle);
      call(oracle, 1, undefined, { isRejected, described: { id: 'create', reason: 'create', attempt } });
      return oracle.violations;
    };
    expect(violationsOf(2)).toEqual([]);
    expect(violationsOf(1)).toEqual([REPEATED]);
    expect(violationsOf(2, false)).toEqual([REPEATED]);
  });

  it('should let a sub-handler be called once more with another attempt of its parent, if what it has wanted was rejected', () => {
    const violationsOf = (attempt: number) => {
      const oracle = new HandlingOracle();
      const part = { id: 'make/part', isRejected: true };
      const made = (count: number) => ({ id: 'make', reason: 'create', attempt: count });
      for (const count of [1, attempt]) {
        const parent = { id: 'make', outcome: 'retried', described: made(count) } as const;
        call(oracle, 1, () => call(oracle, 1, undefined, part), parent);
      }
      return oracle.violations.filter(({ check }) => check === 'repetition');
    };
    expect(violationsOf(2)).toEqual([]);
    expect(violationsOf(1)).toHaveLength(1);
  });

  it('should find that a handler is called more often than its retries allow, by one process, for one state', () => {
    const violationsOf = (differences: readonly Partial<Call>[]) => {
      const oracle = new HandlingOracle();
      for (const each of differences) call(oracle, 1, undefined, { outcome: 'retried', retries: 2, ...each });
      return oracle.violations;
    };
    const message = "'create' is called more often for ConfigMap a than its 2 retries allow";
    expect(violationsOf([{}, {}])).toEqual([]);
    expect(violationsOf([{}, {}, {}])).toEqual([{ check: 'retries', message }]);
    expect(violationsOf([{}, {}, { process: 2 }])).toEqual([]);
    expect(violationsOf([{}, {}, { essence: '{"spec":{}}' }])).toEqual([]);
    expect(violationsOf([{}, {}, { reason: 'update' }])).toEqual([]);
    // Nothing is stored while the API server cannot be reached.
    expect(violationsOf([{}, {}, { outages: 2 }])).toEqual([]);
    expect(violationsOf([{}, {}, {}].map(() => ({ retries: undefined })))).toEqual([]);
  });

  it('should find that a handler is called again much sooner or later than it is to be', () => {
    const violationsOf = (begun: number, differences: Partial<Call> = {}) => {
      const oracle = new HandlingOracle();
      call(oracle, 1, undefined, { outcome: 'retried', ended: 10_000, delay: 30 });
      call(oracle, 1, undefined, { begun, ...differences });
      return oracle.violations.map(({ check, message }) => `${check}: ${message}`);
    };
    const found = (when: string) => [
      `delays: 'create' is called again for ConfigMap a ${when}: its last attempt was to be followed by another one after 30 s`,
    ];
    expect(violationsOf(40_000)).toEqual([]);
    expect(violationsOf(38_000)).toEqual(found('too early'));
    expect(violationsOf(1_800_000)).toEqual([]);
    expect(violationsOf(1_900_000)).toEqual(found('much too late'));
    expect(violationsOf(10_000, { state: '{"spec":{}}' })).toEqual([]);
    expect(violationsOf(10_000, { process: 2 })).toEqual([]);
  });

  it('should know that a handler may have given up, as what it has wanted to store was rejected', () => {
    const isGivenUp = (differences: Partial<Call>, attempt = 1) => {
      const oracle = new HandlingOracle();
      call(oracle, 1, undefined, { ...differences, described: { id: 'create', reason: 'create', attempt } });
      return oracle.hasGivenUp;
    };
    const isUnlimited = (differences: Partial<Call>) => {
      const oracle = new HandlingOracle();
      call(oracle, 1, undefined, differences);
      return oracle.isUnlimited;
    };
    expect([{}, { isRejected: true }, { isRejected: true, retries: 1 }].map(isUnlimited)).toEqual([false, true, false]);
    expect(isGivenUp({ isRejected: true })).toBe(false);
    expect(isGivenUp({ isRejected: true, retries: 2 })).toBe(false);
    expect(isGivenUp({ isRejected: true, retries: 2 }, 2)).toBe(true);
    expect(isGivenUp({ isRejected: true, isFinal: true })).toBe(true);
    expect(isGivenUp({ retries: 1, isFinal: true })).toBe(false);
  });

  it('should let a handler be called again for a state that the object has come back to', () => {
    const at = (resourceVersion: string, team?: string): KubeObject => ({
      ...object,
      metadata: { ...object.metadata, resourceVersion, labels: team ? { team } : undefined },
    });
    const state = essenceOf(at('1', 'blue'));
    const repetitionsOf = (first: number, second: number) => {
      const changes = [
        { after: at('1', 'blue') },
        { before: at('1', 'blue'), after: at('2', 'red') },
        { before: at('2', 'red'), after: at('3', 'blue') },
      ];
      const oracle = new HandlingOracle(changes);
      for (const version of [first, second]) call(oracle, 1, undefined, { state, essence: state, version });
      return oracle.violations;
    };
    expect(repetitionsOf(1, 3)).toEqual([]);
    expect(repetitionsOf(1, 2)).toEqual([REPEATED]);
    expect(repetitionsOf(1, 1)).toEqual([REPEATED]);
    expect(repetitionsOf(3, 1)).toEqual([REPEATED]);
    expect(repetitionsOf(3, 3)).toEqual([REPEATED]);
  });

  it('should know for which objects handlers are at work that were not shown that these are deleted', () => {
    const oracle = new HandlingOracle();
    const during: boolean[] = [];
    call(oracle, 1, () => during.push(oracle.isAtWorkFor('1'), oracle.isAtWorkFor('2')));
    call(oracle, 1, () => during.push(oracle.isAtWorkFor('1')), { isDeleting: true });
    expect(during).toEqual([true, false, false]);
    expect(oracle.isAtWorkFor('1')).toBe(false);
  });
});
