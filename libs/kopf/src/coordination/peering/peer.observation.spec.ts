import { PeerObservation } from './peer.observation.js';
import { evaluatePeers, type Peer } from './peers.js';

const HOUR = 3_600_000;
const NOW = Date.UTC(2020, 11, 31, 23, 59, 59);
const SELF = { identity: 'me', priority: 0 };

/** Another operator with a clock that is off, which this one looks at with a clock that is right, or the other way round. */
function observe(skew: number) {
  const observation = new PeerObservation();
  let monotonic = 0;
  let lastSeen: number;
  return {
    write: () => (lastSeen = NOW + monotonic + skew),
    pass: (seconds: number) => (monotonic += seconds * 1000),
    isAlive: (): boolean => {
      const peer: Peer = { identity: 'other', priority: 1, lifetime: 60, lastSeen };
      const now = NOW + monotonic;
      return evaluatePeers(observation.localize([peer], now, monotonic), SELF, now).blockers.length > 0;
    },
    vanish: () => observation.localize([], NOW + monotonic, monotonic),
  };
}

describe('PeerObservation', () => {
  it.each([-12 * HOUR, -HOUR, -90_000, 0, 90_000, HOUR, 12 * HOUR])(
    'should take for alive who writes, and for dead who does not, with a clock that is off by %d ms',
    (skew) => {
      const other = observe(skew);
      other.write();
      other.isAlive();
      for (let keepAlive = 0; keepAlive < 5; keepAlive += 1) {
        other.pass(50);
        other.write();
        expect(other.isAlive()).toBe(true);
        other.pass(9);
        expect(other.isAlive()).toBe(true);
      }
      other.pass(52);
      expect(other.isAlive()).toBe(false);
    },
  );

  it('should judge by the time in it what was there before, as Kopf does', () => {
    const dead = observe(-61_000);
    dead.write();
    expect(dead.isAlive()).toBe(false);
    const living = observe(-59_000);
    living.write();
    expect(living.isAlive()).toBe(true);
    living.pass(2);
    expect(living.isAlive()).toBe(false);
  });

  it('should know who comes back after the record was removed as that of a dead one', () => {
    const other = observe(-HOUR);
    other.write();
    expect(other.isAlive()).toBe(false);
    other.vanish();
    other.pass(50);
    other.write();
    expect(other.isAlive()).toBe(true);
  });

  it('should forget who has gone for long', () => {
    const other = observe(-HOUR);
    other.write();
    other.isAlive();
    other.pass(601);
    other.vanish();
    other.write();
    expect(other.isAlive()).toBe(false);
  });
});
