import { deadlineOf, readPeers, type Peer, evaluatePeers, keepAliveDelay } from './peers.js';

const NOW = Date.UTC(2020, 11, 31, 23, 59, 59);

describe('readPeers', () => {
  it.each([
    ['no status', undefined, []],
    ['a status of another sort', 'text', []],
    ['an empty status', {}, []],
    ['a removed peer', { a: null }, []],
    ['a peer of another sort', { a: 'text' }, []],
    [
      'a whole record',
      { a: { priority: 7, lifetime: 30, lastseen: '2020-12-31T23:59:58.500250+00:00' } },
      [{ identity: 'a', priority: 7, lifetime: 30, lastSeen: NOW - 499.75 }],
    ],
    [
      'integers beyond the safe ones',
      { a: { priority: 9007199254740994n, lifetime: 30, lastseen: '2020-12-31T23:59:59' } },
      [{ identity: 'a', priority: 9007199254740994, lifetime: 30, lastSeen: NOW }],
    ],
    ['an empty record', { a: {} }, [{ identity: 'a', priority: 0, lifetime: 60, lastSeen: NOW }]],
    [
      'numbers as texts, and what nobody knows yet',
      { a: { priority: '7', lifetime: '30', lastseen: '2020-12-31T23:59:59', future: {} } },
      [{ identity: 'a', priority: 7, lifetime: 30, lastSeen: NOW }],
    ],
    [
      'a time without a zone, which is in UTC',
      { a: { lastseen: '2020-12-31T23:59:58' } },
      [{ identity: 'a', priority: 0, lifetime: 60, lastSeen: NOW - 1000 }],
    ],
    [
      'unreadable members',
      { a: { priority: {}, lifetime: 'x', lastseen: 'yesterday' } },
      [{ identity: 'a', priority: 0, lifetime: 60, lastSeen: NOW }],
    ],
  ])('should read %s', (_what, status, expected) => {
    expect(readPeers(status, NOW)).toEqual(expected);
  });

  it('should tell when a peer counts as dead', () => {
    const [peer] = readPeers({ a: { lifetime: 30, lastseen: '2020-12-31T23:59:59.000000+00:00' } }, NOW);
    expect(deadlineOf(peer)).toBe(NOW + 30_000);
  });
});

describe('peer evaluation', () => {
  const NOW = 1_000_000;

  /** A peer that was heard of some seconds ago. */
  function peer(identity: string, priority: number, age = 0, lifetime = 60): Peer {
    return { identity, priority, lifetime, lastSeen: NOW - age * 1000 };
  }

  const SELF = { identity: 'self', priority: 10 };

  describe('evaluatePeers', () => {
    it.each([
      ['nobody', [], 'first', [], []],
      ['only itself', [peer('self', 10)], 'first', [], []],
      ['only itself, with an old priority', [peer('self', 99)], 'first', [], []],
      ['only itself, which seems dead', [peer('self', 10, 100)], 'first', [], []],
      ['a lower one', [peer('self', 10), peer('a', 9)], 'first', [], []],
      ['a higher one', [peer('self', 10), peer('a', 11)], 'outranked', ['a'], []],
      ['a same one', [peer('self', 10), peer('a', 10)], 'conflict', ['a'], []],
      ['a higher one and a same one', [peer('a', 10), peer('b', 11)], 'outranked', ['b', 'a'], []],
      ['a dead higher one', [peer('a', 11, 60)], 'first', [], ['a']],
      ['a higher one that is almost dead', [peer('a', 11, 59.999)], 'outranked', ['a'], []],
      ['a dead lower one', [peer('a', 1, 61)], 'first', [], ['a']],
      [
        'several dead ones and a living one',
        [peer('a', 1, 61), peer('b', 99, 61), peer('c', 10)],
        'conflict',
        ['c'],
        ['a', 'b'],
      ],
      ['one without any lifetime', [peer('a', 11, 0, 0)], 'first', [], ['a']],
    ] as const)('should know what %s means', (_who, peers, rank, blockers, dead) => {
      const evaluation = evaluatePeers(peers, SELF, NOW);
      expect(evaluation.rank).toBe(rank);
      expect(evaluation.blockers.map(({ identity }) => identity)).toEqual(blockers);
      expect(evaluation.dead.map(({ identity }) => identity)).toEqual(dead);
    });

    it.each([
      ['a same one', [peer('self', 10), peer('a', 10)], 'first', [], []],
      ['a higher one and a same one', [peer('a', 10), peer('b', 11)], 'outranked', ['b'], []],
      ['a dead same one', [peer('a', 10, 61)], 'first', [], ['a']],
    ] as const)(
      'should not pause for the same priority if the objects are sharded: %s',
      (_who, peers, rank, blockers, dead) => {
        const evaluation = evaluatePeers(peers, SELF, NOW, true);
        expect(evaluation.rank).toBe(rank);
        expect(evaluation.blockers.map(({ identity }) => identity)).toEqual(blockers);
        expect(evaluation.dead.map(({ identity }) => identity)).toEqual(dead);
      },
    );

    it('should be reviewed when the first of the blockers dies', () => {
      expect(evaluatePeers([peer('a', 11, 10), peer('b', 10, 20), peer('c', 1, 50)], SELF, NOW).reviewAt).toBe(
        NOW + 40_000,
      );
      expect(evaluatePeers([peer('c', 1, 50)], SELF, NOW).reviewAt).toBeUndefined();
    });
  });

  describe('keepAliveDelay', () => {
    it.each([
      [60, 0, 55],
      [60, 0.999, 50],
      [60, 0.5, 52],
      [11, 0.999, 1],
      [6, 0, 1],
      [3, 0.5, 1],
      [1, 0, 1],
    ])('should be, for a lifetime of %d s and the random number %d, %d s', (lifetime, random, expected) => {
      expect(keepAliveDelay(lifetime, random)).toBe(expected);
    });
  });
});
