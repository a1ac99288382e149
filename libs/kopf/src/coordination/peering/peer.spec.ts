import { deadlineOf, readPeers } from './peer.js';

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
