import type { RunRecord, TracedChange } from '../run/run.record.js';
import type { TracedRequest } from '../faults/fault.engine.js';
import { describeFault } from '../simulation.plan.js';
import { exhaustivePlans } from './plan.exhaustive.js';

function objectOf(data: Readonly<Record<string, string>> | undefined) {
  return data && ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data } as never);
}

/** A change from one state to another. */
function change(
  number: number,
  [before, after]: readonly [
    before: Readonly<Record<string, string>> | undefined,
    after: Readonly<Record<string, string>> | undefined,
  ],
  given: Partial<TracedChange> = {},
): TracedChange {
  const type = before ? (after ? 'MODIFIED' : 'DELETED') : 'ADDED';
  const defaults = {
    resource: 'configmaps',
    object: 'ConfigMap a',
    isOperator: false,
    isUser: false,
    isTransient: false,
    writes: 0,
    rests: 1,
  };
  return { ...defaults, number, type, before: objectOf(before), after: objectOf(after), ...given };
}

function request(number: number, given: Partial<TracedRequest> = {}): TracedRequest {
  return { number, resource: 'configmaps', isConditional: false, writes: 0, changes: 0, rests: 1, ...given };
}

function plansOf(record: Partial<RunRecord>, kinds: readonly string[], replicas?: number): string[] {
  const empty = {
    changes: [],
    requests: [],
    reads: [],
    writes: 0,
    reviews: 0,
    watched: new Set(['configmaps', 'secrets']),
    hasBackground: false,
  };
  const faults = [...exhaustivePlans({ ...empty, ...record } as RunRecord, 1, replicas)].flatMap((plan) => plan.faults);
  return faults.filter(({ kind }) => kinds.includes(kind)).map(describeFault);
}

describe('exhaustivePlans', () => {
  it('should crash after each write', () => {
    expect(plansOf({ writes: 2 }, ['crash'])).toEqual([
      'the operator crashes after its write 1',
      'the operator crashes after its write 2',
    ]);
  });

  it('should crash before a request only if something has changed since the write before', () => {
    const own = { isOperator: true };
    const changes = [
      change(1, [undefined, {}]),
      change(2, [{}, { done: '1' }], own),
      change(3, [{ done: '1' }, { done: '1', size: '2' }], { writes: 1 }),
      change(4, [{}, { done: '2' }], { ...own, writes: 1 }),
    ];
    const requests = [
      request(1, { changes: 1 }),
      request(2, { writes: 1, changes: 3 }),
      request(3, { writes: 2, changes: 4 }),
    ];
    expect(plansOf({ changes, requests, writes: 2 }, ['crash'])).toContain('the operator crashes before its request 2');
    expect(plansOf({ changes, requests, writes: 2 }, ['crash'])).toHaveLength(3);
  });

  it('should leave out a state that a later change cancels', () => {
    const changes = [
      change(1, [{ phase: 'Good' }, { phase: 'Failed' }]),
      change(2, [{ phase: 'Failed' }, { phase: 'Good' }]),
    ];
    expect(plansOf({ changes }, ['missed-events'])).toEqual([
      'the operator never sees the changes 1 to 2 of configmaps',
    ]);
  });

  it('should leave out an object that is soon deleted', () => {
    const changes = [change(1, [undefined, { size: '1' }]), change(2, [{ size: '1' }, undefined])];
    expect(plansOf({ changes }, ['missed-events'])).toEqual([
      'the operator never sees the changes 1 to 2 of configmaps',
    ]);
  });

  it('should not leave out a state that is still there after the later changes', () => {
    const changes = [change(1, [{}, { size: '1' }]), change(2, [{ size: '1' }, { size: '1', owner: 'me' }])];
    expect(plansOf({ changes }, ['missed-events'])).toEqual([]);
  });

  it('should not leave out what the operator has written itself, and has changed again', () => {
    const own = { isOperator: true };
    const changes = [change(1, [{ done: '1' }, { done: '2' }], own), change(2, [{ done: '2' }, { done: '3' }], own)];
    expect(plansOf({ changes }, ['missed-events'])).toEqual([]);
  });

  it('should not delay a change if the operator has nothing else to do in between', () => {
    const changes = [change(1, [undefined, {}]), change(2, [{}, { done: '1' }], { isOperator: true })];
    expect(plansOf({ changes: changes.slice(0, 1), writes: 1 }, ['stale'])).toEqual([]);
  });

  it('should delay a change while the operator sees others of another resource', () => {
    const secret = { resource: 'secrets', object: 'Secret b' };
    const changes = [change(1, [undefined, {}]), change(2, [undefined, {}], secret)];
    expect(plansOf({ changes, writes: 1 }, ['stale'])).toContain(
      'the operator sees no configmaps from change 1 on, until nothing happens any more',
    );
  });

  it('should delay a change while timers go on', () => {
    const changes = [change(1, [undefined, {}])];
    expect(plansOf({ changes, hasBackground: true }, ['stale'])).toHaveLength(1);
  });

  it('should have another client write only before requests that this makes conflict', () => {
    const requests = [request(1), request(2, { isConditional: true })];
    const plans = plansOf({ requests }, ['conflict']);
    expect(plans).toHaveLength(2);
    expect(plans.every((text) => text.includes("the operator's request 2"))).toBe(true);
  });

  it('should reject a list and a watch of each resource, also after each rest', () => {
    const read = (number: number, resource: string, rests: number) => ({ number, resource, rests });
    const reads = [read(1, 'configmaps', 0), read(2, 'configmaps', 0), read(3, 'secrets', 0), read(4, 'configmaps', 0)];
    expect(plansOf({ reads: [...reads, read(5, 'configmaps', 1)] }, ['error'])).toEqual([
      "the operator's reading request 1 is answered by 500",
      "the operator's reading request 2 is answered by 429",
      "the operator's reading request 3 is answered by 500",
      "the operator's reading request 5 is answered by 500",
    ]);
  });

  it('should freeze only replicas that have others', () => {
    expect(plansOf({ writes: 2 }, ['freeze'])).toEqual([]);
    expect(plansOf({ writes: 2 }, ['freeze'], 2)).toHaveLength(4);
    expect(plansOf({ writes: 2 }, ['clock-jump'], 2)).toHaveLength(2);
  });

  it('should break the connection, and let clocks jump, once for each step of the user', () => {
    const changes = [change(1, [undefined, {}]), change(2, [{}, { size: '1' }]), change(3, [{}, {}], { rests: 2 })];
    expect(plansOf({ changes }, ['outage'])).toHaveLength(2);
    expect(plansOf({ changes }, ['clock-jump'])).toHaveLength(4);
  });

  it('should recreate an object of the user after each of its changes, and after those of the operator in between', () => {
    const user = { isUser: true };
    const changes = [
      change(1, [undefined, {}], user),
      change(2, [{}, { done: '1' }], { isOperator: true }),
      change(3, [undefined, {}], { object: 'Secret b' }),
      change(4, [{ done: '1' }, undefined], user),
      change(5, [undefined, { late: '1' }], { isOperator: true, object: 'ConfigMap c', resource: 'configmaps' }),
    ];
    expect(plansOf({ changes }, ['recreate'])).toEqual([
      'the user deletes configmaps a after change 1, and recreates it',
      'the user deletes configmaps a after change 2, and recreates it',
    ]);
  });

  it('should let another client change and delete what the operator has created, also with each later step of the user', () => {
    const changes = [
      change(1, [undefined, { size: '1' }], { isOperator: true }),
      change(2, [{ size: '1' }, { size: '2' }], { isOperator: true }),
      change(3, [undefined, {}], { object: 'ConfigMap b', isUser: true }),
    ];
    expect(plansOf({ changes }, ['drift'])).toEqual([
      'another client deletes configmaps a after change 1',
      expect.stringMatching(/^another client changes configmaps a after change 1: \{"data":\{/),
      'another client deletes configmaps a after change 3',
      expect.stringMatching(/^another client changes configmaps a after change 3: \{"data":\{/),
    ]);
  });

  it('should leave webhook configurations to the operator, as what is admitted without them would not be taken back', () => {
    const resource = 'validatingwebhookconfigurations.admissionregistration.k8s.io';
    const changes = [change(1, [undefined, { size: '1' }], { isOperator: true, resource })];
    expect(plansOf({ changes }, ['drift'])).toEqual([]);
  });
});
