import type { OperatorStatus, WatchReading } from '../../operator.readings.js';
import { findProblems } from './operator.health.js';

const STATUS: OperatorStatus = {
  state: 'running',
  required: true,
  paused: [],
  leadership: { name: 'shop', isHeld: true },
  unserved: [],
  objects: 3,
};
const WATCH: WatchReading = {
  resource: 'shops.example.com',
  kind: 'Shop',
  state: 'watching',
  since: 0,
  objects: 3,
  restarts: 0,
};
const NONE = { failing: 0, failed: 0, stuck: 0 };

function find(status: Partial<OperatorStatus>, watch: Partial<WatchReading> = {}, counts = NONE) {
  const readings = { status: () => ({ ...STATUS, ...status }), watches: () => [{ ...WATCH, ...watch }] };
  return findProblems(readings, counts).map(({ part, text, isSevere }) => `${isSevere ? '! ' : ''}${part}: ${text}`);
}

describe('The problems of an operator', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['none if it is healthy', find({}), []],
    ['its failure', find({ state: 'failed', failure: 'no' }), ['! state: The operator has failed: no']],
    [
      'what it waits for',
      find({ state: 'starting', waitingFor: 'the CRD' }),
      ['state: The operator is not ready: it waits for the CRD.'],
    ],
    [
      'why it pauses, and not that it does not lead',
      find({ state: 'paused', paused: ['freeze'], leadership: { name: 'shop', isHeld: false } }),
      ['leadership: The operator pauses: freeze'],
    ],
    [
      'that it does not lead',
      find({ leadership: { name: 'shop', isHeld: false } }),
      ['! leadership: The operator does not lead: shop is held by another one, or has expired.'],
    ],
    [
      'a watch that does not work',
      find({}, { state: 'forbidden', error: 'no list', namespace: 'ns' }),
      ['! watches: The watch of shops.example.com in ns is forbidden; its last error: no list.'],
    ],
    [
      'credentials, before what is less severe',
      find({
        credentialsFailure: 'expired',
        unserved: [{ resource: 'shps', reason: 'Is shops meant?', handlers: [] }],
      }),
      ['! credentials: The credentials are not accepted: expired', 'resources: shps is not served: Is shops meant?'],
    ],
    [
      'a resource that is not served, with the handlers that name it',
      find({ unserved: [{ resource: 'shps', reason: 'the cluster has no such resource', handlers: ['Shop.create'] }] }),
      ['resources: shps is not served: the cluster has no such resource. Named by Shop.create.'],
    ],
    [
      'handlers that fail',
      find({}, {}, { failing: 6, failed: 1, stuck: 2 }),
      [
        'handlers: Objects with a handler that has failed for good: 1.',
        'handlers: Objects that are stuck: 2.',
        'handlers: Objects with a handler that is retried after an error: 3.',
      ],
    ],
  ])('should be %s', (_what, found, expected) => {
    expect(found).toEqual(expected);
  });
});
