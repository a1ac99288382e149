import { compareTraces, type TraceEntry } from './trace.comparison.js';

const OBJECT = '/apis/kopf.dev/v1/namespaces/<NS>/subthings/thing';

function patch(path: string, body: object): TraceEntry {
  return { type: 'write', method: 'PATCH', path, contentType: 'application/merge-patch+json', body, status: 200 };
}

const RETRY = patch(`${OBJECT}/status`, { status: { progress: { h: { retries: 1 } } } });
const PURGE = patch(`${OBJECT}/status`, { status: { progress: { h: null } } });
const HANDLED = patch(OBJECT, { metadata: { annotations: { handled: '{}' } } });
const CALL: TraceEntry = { type: 'call', handler: 'h' };

it.each([
  { order: 'one cycle', kopf: [HANDLED, PURGE], ours: [PURGE, HANDLED] },
  { order: 'one cycle after another one', kopf: [RETRY, HANDLED, PURGE], ours: [RETRY, PURGE, HANDLED] },
  { order: 'two cycles without a call in between', kopf: [RETRY, HANDLED], ours: [RETRY, HANDLED] },
])('should know in which order the patches of $order are sent', ({ kopf, ours }) => {
  expect(compareTraces(kopf, ours)).toBeUndefined();
});

it.each([
  { order: 'has the status first in Kopf', kopf: [PURGE, HANDLED], ours: [HANDLED, PURGE] },
  { order: 'has a call in between', kopf: [HANDLED, CALL, RETRY], ours: [RETRY, CALL, HANDLED] },
  { order: 'is of other patches', kopf: [HANDLED, PURGE], ours: [RETRY, HANDLED] },
  { order: 'is one of three', kopf: [HANDLED, RETRY, PURGE], ours: [RETRY, PURGE, HANDLED] },
])('should find a difference where the order $order', ({ kopf, ours }) => {
  expect(compareTraces(kopf, ours)).toContain('entry 0 of');
});

describe('a JSON patch that was refused', () => {
  const TEST = { op: 'test', path: '/metadata/resourceVersion', value: '<VERSION>' };
  const RELEASE = { op: 'remove', path: '/metadata/finalizers' };
  const ADD = { op: 'add', path: '/spec/a', value: 1 };
  const send = (...operations: object[]): TraceEntry => ({
    ...patch(OBJECT, [TEST, ...operations]),
    contentType: 'application/json-patch+json',
  });
  const REFUSED = { ...send(RELEASE, ADD), status: 422 };
  const EVENT: TraceEntry = { ...CALL, event: 'MODIFIED' };

  it.each([
    { what: 'a touch', body: { metadata: { annotations: { 'a.com/touch-dummy': '<KOPF-TIME>' } } }, isKnown: true },
    {
      what: 'a touch that marks its prefix',
      body: { metadata: { annotations: { 'a.com/touch-dummy': '<KOPF-TIME>', 'a.com/kopf-managed': 'yes' } } },
      isKnown: true,
    },
    { what: 'a touch in the status', body: { status: { kopf: { dummy: '<KOPF-TIME>' } } }, isKnown: true },
    { what: 'a mark alone', body: { metadata: { annotations: { 'a.com/kopf-managed': 'yes' } } }, isKnown: false },
    {
      what: 'a touch with something else',
      body: { metadata: { annotations: { 'a.com/touch-dummy': '<KOPF-TIME>', other: 'yes' } } },
      isKnown: false,
    },
  ])('should be followed by a touch: $what, which is known: $isKnown', ({ body, isKnown }) => {
    expect(compareTraces([REFUSED], [REFUSED, patch(OBJECT, body)]) === undefined).toBe(isKnown);
    expect(compareTraces([HANDLED], [HANDLED, patch(OBJECT, body)])).toContain('entry 1 of');
  });

  it('should be known to be sent in parts', () => {
    const whole = [REFUSED, send(RELEASE, ADD)];
    const parts = [REFUSED, send(ADD), send(RELEASE)];
    expect(compareTraces([...whole, CALL], [...parts, CALL])).toBeUndefined();
    expect(compareTraces([...whole, CALL], [...parts, EVENT, CALL])).toBeUndefined();
    expect(compareTraces([...whole, CALL], [...parts, HANDLED])).toContain('entry 2 of');
  });

  it.each([
    { what: 'another part', ours: [REFUSED, send(ADD), send(ADD)] },
    { what: 'one part only', ours: [REFUSED, send(ADD)] },
    { what: 'parts that were not refused before', ours: [{ ...REFUSED, status: 200 }, send(ADD), send(RELEASE)] },
  ])('should not be mistaken for $what', ({ ours }) => {
    const kopf = [ours[0], send(RELEASE, ADD)];
    expect(compareTraces(kopf, ours)).toContain('entry 1 of');
  });
});

describe('a call for an object that has gone meanwhile', () => {
  const user = (action: string): TraceEntry => ({ type: 'user', action });
  const call = (details: object = {}): TraceEntry => ({ ...CALL, reason: 'create', deleted: false, ...details });
  const GONE: TraceEntry = { ...CALL, event: 'DELETED' };

  it.each([
    { what: 'deleted', kopf: [user('delete'), call(), GONE], ours: [user('delete'), GONE], isKnown: true },
    {
      what: 'replaced, with two handlers',
      kopf: [user('recreate'), call(), call({ handler: 'g' }), GONE],
      ours: [user('recreate'), GONE],
      isKnown: true,
    },
    { what: 'not deleted', kopf: [user('patch'), call()], ours: [user('patch')], isKnown: false },
    {
      what: 'held by a finalizer',
      kopf: [user('delete'), call({ metadata: { finalizers: ['f'] } })],
      ours: [user('delete')],
      isKnown: false,
    },
    {
      what: 'handled as deleted',
      kopf: [user('delete'), call({ reason: 'delete', deleted: true })],
      ours: [user('delete')],
      isKnown: false,
    },
    { what: 'called by us alone', kopf: [user('delete'), GONE], ours: [user('delete'), call(), GONE], isKnown: false },
  ])('should be left out of the comparison of an object that is $what: $isKnown', ({ kopf, ours, isKnown }) => {
    expect(compareTraces(kopf, ours) === undefined).toBe(isKnown);
  });
});
