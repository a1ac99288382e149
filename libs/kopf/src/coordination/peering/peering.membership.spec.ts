import { makeResource } from '../../../../../test/support/objects/resources.js';
import { scriptedApi, ScriptedStream } from '../../../../../test/support/transport/scripted.api.js';
import { formatTimestamp } from 'kube-common';
import { ApiConflictError } from '../../client/api/api.errors.js';
import { BlockageMonitor } from '../../execution/blockage.monitor.js';
import type { KubeObject } from '../../objects/kube-object.js';
import { WatchingSettings } from '../../settings/client.settings.js';
import { Leadership } from '../pausing/leadership.js';
import { Pauses } from '../pausing/pauses.js';
import { PeeringLeadership } from './peering.leadership.js';
import { PeeringMembership } from './peering.membership.js';
import type { Peer } from './peers.js';

const PEERING = makeResource({ plural: 'kopfpeerings', kind: 'KopfPeering', namespaced: true });
const LIFETIME = 60;

interface Situation {
  /** The other operators in the object; `null` if the object does not exist. @default none */
  readonly others?: Readonly<Record<string, { priority: number; lifetime?: number; age?: number }>> | null;
  readonly priority?: number;
  readonly mandatory?: boolean;
  /** Asked before each keep-alive. */
  readonly fail?: (count: number) => Error | undefined;
}

/** A member of a peering object that is kept here. */
function arrange({ others = {}, priority = 100, mandatory = false, fail = () => undefined }: Situation = {}) {
  let version = 1;
  let object: KubeObject | undefined;
  const stream = new ScriptedStream();
  const { api, clock, logger } = scriptedApi(({ path }) => {
    if (path.includes('watch=true')) return { stream };
    return { json: { metadata: { resourceVersion: String(version) }, items: object ? [object] : [] } };
  });
  /** Writes records into the object, as its server does. */
  const write = (records: Readonly<Record<string, object | null>>): KubeObject | undefined => {
    if (!object) return undefined;
    const entries = Object.entries({ ...object.status, ...records }).filter(([, record]) => record !== null);
    object = createObject(Object.fromEntries(entries), ++version);
    return object;
  };
  const recordOf = (one: { priority: number; lifetime?: number; age?: number }): object => ({
    priority: one.priority,
    lifetime: one.lifetime ?? LIFETIME,
    lastseen: formatTimestamp(clock.now() - (one.age ?? 0) * 1000),
  });
  if (others) {
    object = createObject(
      Object.fromEntries(Object.entries(others).map(([identity, one]) => [identity, recordOf(one)])),
      version,
    );
  }
  const calls: string[] = [];
  let touches = 0;
  const client = {
    touch: async (_place: unknown, peer: Peer, _options: unknown, wanted?: string) => {
      calls.push(`${clock.monotonic() / 1000}: touch`);
      const error = fail(++touches);
      if (error) throw error;
      if (wanted !== undefined && wanted !== object?.metadata.resourceVersion)
        throw new ApiConflictError({ status: 409, method: 'PATCH', path: '/' });
      return write({ [peer.identity]: recordOf(peer) });
    },
    remove: async (_place: unknown, identities: readonly string[]) => {
      calls.push(`${clock.monotonic() / 1000}: remove ${identities.join()}`);
      return write(Object.fromEntries(identities.map((identity) => [identity, null])));
    },
  };
  const pauses = new Pauses();
  const leadership = new Leadership(clock);
  const peeringLeadership = new PeeringLeadership(leadership, clock);
  peeringLeadership.start();
  let statuses = 0;
  const membership = new PeeringMembership({
    place: { resource: PEERING, namespace: 'ns', name: 'default' },
    identity: 'me',
    mandatory,
    client: client as never,
    settings: { priority, lifetime: LIFETIME, stealth: true } as never,
    // The greatest keep-alive delay: 5 seconds before the end of the lifetime.
    watching: { api, settings: new WatchingSettings(), clock, random: { next: () => 0 } as never, logger },
    pauses,
    peeringLeadership,
    monitor: new BlockageMonitor(clock),
    onStatus: () => (statuses += 1),
  });
  const start = async (): Promise<void> => {
    membership.start();
    await clock.runUntil(membership.decided);
    await clock.settle();
  };
  /** Writes records, and lets the watch show them. */
  const show = async (records: Readonly<Record<string, object | null>>): Promise<void> => {
    stream.event('MODIFIED', write(records));
    await clock.settle();
  };
  /** Creates the object, and lets the watch show it. */
  const appear = async (): Promise<void> => {
    object = createObject({}, ++version);
    stream.event('ADDED', object);
    await clock.settle();
  };
  const reasons = (): readonly string[] => pauses.status.reasons;
  return {
    appear,
    calls,
    clock,
    leadership,
    logger,
    membership,
    object: () => object,
    reasons,
    recordOf,
    show,
    start,
    stream,
    statuses: () => statuses,
  };
}

function createObject(status: object, version: number): KubeObject {
  const metadata = { name: 'default', namespace: 'ns', uid: 'u', resourceVersion: String(version) };
  return { apiVersion: 'kopf.dev/v1', kind: 'KopfPeering', metadata, status };
}

describe('PeeringMembership', () => {
  it.each<[string, NonNullable<Situation['others']>, string, readonly string[]]>([
    ['it is alone', {}, 'first', []],
    ['others have a lower priority', { you: { priority: 99 } }, 'first', []],
    [
      'others have a higher priority',
      { you: { priority: 101 } },
      'outranked',
      ['KopfPeering ns/default: others have a higher priority: you'],
    ],
    [
      'others have the same priority',
      { you: { priority: 100 } },
      'conflict',
      ['KopfPeering ns/default: others have the same priority: you'],
    ],
    ['the others have expired', { you: { priority: 101, age: 61 } }, 'first', []],
  ])('should know whether it works where %s', async (_what, others, rank, expected) => {
    const { membership, reasons, start, object } = arrange({ others });
    await start();
    expect(membership.status).toMatchObject({ exists: true, rank });
    expect(reasons()).toEqual(expected);
    expect(object()?.status.me).toMatchObject({ priority: 100 });
  });

  it.each<[boolean, readonly string[], readonly string[]]>([
    [false, [], []],
    [true, ['KopfPeering ns/default: it is not known yet'], ['KopfPeering ns/default: it does not exist']],
  ])('should pause without an object only if it is mandatory: %s', async (mandatory, before, after) => {
    const { calls, clock, membership, reasons, start } = arrange({ others: null, mandatory });
    const starting = start();
    expect(reasons()).toEqual(before);
    await starting;
    expect([membership.status.exists, reasons()]).toEqual([false, after]);
    calls.length = 0;
    await clock.advance(600_000);
    expect(calls).toEqual([]);
  });

  it('should write down that it is alive, at once and a little before it would expire', async () => {
    const { calls, clock, leadership, start } = arrange();
    await start();
    const { term } = leadership;
    await clock.advance(120_000);
    expect(calls).toEqual(['0: touch', '55: touch', '110: touch']);
    expect([leadership.term, term.isOver]).toEqual([term, false]);
  });

  it('should write down that it is alive as soon as the object appears', async () => {
    const { appear, calls, clock, object, start } = arrange({ others: null });
    await start();
    await clock.advance(10_000);
    calls.length = 0;
    await appear();
    expect(calls).toEqual(['10: touch']);
    expect(object()?.status).toHaveProperty('me');
  });

  it('should not write more often because others write', async () => {
    const { calls, recordOf, show, start } = arrange();
    await start();
    calls.length = 0;
    await show({ you: recordOf({ priority: 1 }) });
    expect(calls).toEqual([]);
  });

  it('should follow what others write, and report each change', async () => {
    const { membership, reasons, recordOf, show, start, statuses } = arrange();
    await start();
    const before = statuses();
    await show({ you: recordOf({ priority: 101 }) });
    expect(membership.status).toMatchObject({ rank: 'outranked', blockers: ['you'] });
    expect([reasons().length, statuses()]).toEqual([1, before + 1]);
    await show({ you: null });
    expect([reasons(), statuses()]).toEqual([[], before + 2]);
  });

  it('should ask the server before it takes a blocker for expired, as the watch can be late', async () => {
    const { calls, clock, reasons, start } = arrange({ others: { you: { priority: 101, lifetime: 20 } } });
    await start();
    await clock.advance(19_999);
    expect([calls.filter((call) => call.endsWith('touch')), reasons().length]).toEqual([['0: touch'], 1]);
    await clock.advance(1);
    expect(calls.filter((call) => call.endsWith('touch'))).toEqual(['0: touch', '20: touch']);
    expect(reasons()).toEqual([]);
  });

  it('should keep to a blocker that has expired as long as the server does not confirm it', async () => {
    const { calls, clock, reasons, recordOf, show, start } = arrange({
      others: { you: { priority: 101, lifetime: 20 } },
      fail: (count) => (count > 1 ? new Error('away') : undefined),
    });
    await start();
    clock.block(25_000);
    await show({ third: recordOf({ priority: 1 }) });
    expect([calls.at(-1), reasons().length]).toEqual(['25: touch', 1]);
  });

  it('should remove those that have expired', async () => {
    const { calls, object, start } = arrange({ others: { dead: { priority: 1, age: 61 }, alive: { priority: 1 } } });
    await start();
    expect(calls).toContain('0: remove dead');
    expect(Object.keys(object()!.status).sort()).toEqual(['alive', 'me']);
  });

  it('should know that the object is gone', async () => {
    const { clock, leadership, membership, object, reasons, start, stream } = arrange({ mandatory: true });
    await start();
    stream.event('DELETED', object());
    await clock.settle();
    expect(membership.status).toMatchObject({ exists: false, peers: [] });
    expect(reasons()).toEqual(['KopfPeering ns/default: it does not exist']);
    expect(leadership.isValid).toBe(true);
  });

  it('should not mind events that are older than an answer', async () => {
    const { clock, membership, start, stream } = arrange();
    await start();
    stream.event('MODIFIED', createObject({ you: { priority: 101, lifetime: LIFETIME } }, 1));
    await clock.settle();
    expect(membership.status).toMatchObject({ rank: 'first' });
  });

  describe('when the keep-alives cannot be sent', () => {
    const fail = (count: number): Error | undefined => (count > 1 ? new Error('away') : undefined);

    it('should try again after growing pauses, report it once, and pause once it may have expired', async () => {
      const { calls, clock, leadership, logger, reasons, start } = arrange({ fail });
      await start();
      await clock.advance(58_999);
      expect(calls).toEqual(['0: touch', '55: touch', '56: touch', '58: touch']);
      expect([leadership.isValid, reasons()]).toEqual([true, []]);
      await clock.advance(11_001);
      expect([leadership.isValid, reasons()]).toEqual([
        false,
        ['KopfPeering ns/default: the own keep-alive has expired'],
      ]);
      expect(logger.messages('warn')).toEqual([
        'The keep-alive could not be sent to KopfPeering ns/default, which is tried again: away',
      ]);
    });

    it.each<[string, boolean]>([
      ['work on if nobody has written into the object', false],
      ['begin another term if others have', true],
    ])('should %s', async (_what, isOverwritten) => {
      const { clock, leadership, reasons, recordOf, start, show } = arrange({
        fail: (count) => (count > 1 && clock.monotonic() < 80_000 ? new Error('away') : undefined),
      });
      await start();
      const { term } = leadership;
      await clock.advance(70_000);
      expect(leadership.isValid).toBe(false);
      if (isOverwritten) await show({ you: recordOf({ priority: 1 }) });
      await clock.advance(60_000);
      expect([leadership.isValid, term.isOver, reasons()]).toEqual([true, isOverwritten, []]);
    });
  });

  describe('when it leaves', () => {
    it('should remove its own record, and not block any more', async () => {
      const { calls, clock, membership, object, reasons, start } = arrange({ others: { you: { priority: 101 } } });
      await start();
      calls.length = 0;
      await clock.runUntil(membership.stop());
      await membership.touch();
      expect(calls).toEqual(['0: remove me']);
      expect([Object.keys(object()!.status), reasons(), clock.pending]).toEqual([['you'], [], 0]);
    });

    it('should write nothing if there is no object', async () => {
      const { calls, clock, membership, start } = arrange({ others: null });
      await start();
      calls.length = 0;
      await clock.runUntil(membership.stop());
      expect(calls).toEqual([]);
    });
  });
});
