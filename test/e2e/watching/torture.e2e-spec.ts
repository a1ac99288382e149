import type { EmbeddedKube } from 'embedded-kube';
import { KopfWatcher, type KopfOperator } from 'nestjs-kopf';
import { BusyUser, recordHandling } from '../../support/generators/busy.user.js';
import { usedHeap } from '../../support/measurement/garbage.js';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { byForm } from '../../support/runner/test.form.js';

/** Something that goes wrong while a user works on objects. */
interface Torture {
  readonly name: string;
  /** Makes it go wrong; called again and again while the user works, with the number of the round. */
  readonly inflict: (world: World, round: number) => void | Promise<void>;
  /** Ends it. */
  readonly relieve?: (world: World) => void | Promise<void>;
  /** Tells whether a watcher notices that something is wrong. @default true */
  readonly interrupts?: boolean;
  /** Seconds between two rounds. @default 3 */
  readonly pace?: number;
}

const KOPF_EXAMPLES = { resource: 'kopfexamples.kopf.dev' };
const INTERRUPTED = new Set<string>(['backingOff', 'forbidden', 'gone', 'stopped']);
const ROUNDS = byForm({ short: 4, long: 12 });
const CHANGES_PER_ROUND = 32;
/** Limits for how many seconds anything may be unhandled after the faults are over: the longest pause between retries of a patch. */
const PATIENCE = 700;

interface World {
  readonly harness: OperatorHarness;
  readonly kube: EmbeddedKube;
  readonly operator: KopfOperator;
  readonly user: BusyUser;
}

const TORTURES: readonly Torture[] = [
  {
    name: 'connections that are reset in the middle of a line',
    inflict: ({ kube }) => void kube.faults.damageLines('cut', { ...KOPF_EXAMPLES, times: 3 }),
  },
  {
    name: 'connections that fall silent without being closed',
    inflict: ({ kube }) => void kube.faults.damageWatches('stall', KOPF_EXAMPLES),
    pace: 100,
  },
  {
    name: 'connections that fall silent in the middle of a line',
    inflict: ({ kube }) => void kube.faults.damageLines('stall', KOPF_EXAMPLES),
    pace: 100,
  },
  {
    name: 'versions that are too old to be resumed',
    inflict: ({ kube }) => {
      kube.faults.damageWatches('cut');
      kube.faults.expireHistory();
    },
  },
  {
    name: 'versions that become too old between two pages',
    inflict: async ({ kube, user }) => {
      kube.faults.before(() => user.work(1), { verb: 'list', when: ({ query }) => query.has('continue') });
      kube.faults.expireHistory({ verb: 'list', when: ({ query }) => query.has('continue') });
      kube.faults.damageWatches('cut');
      kube.faults.expireHistory();
    },
  },
  {
    name: 'lists that break off',
    inflict: ({ kube }) => {
      kube.faults.cut('middle', { verb: 'list', ...KOPF_EXAMPLES, times: 2 });
      kube.faults.damageWatches({ error: 410 }, KOPF_EXAMPLES);
      kube.faults.cut('middle', {
        verb: 'watch',
        ...KOPF_EXAMPLES,
        when: ({ query }) => query.has('sendInitialEvents'),
      });
    },
  },
  {
    name: 'errors that the server reports in the stream',
    inflict: ({ kube }, round) =>
      void kube.faults.damageWatches({ error: [500, 503, 504, 429][round % 4] }, KOPF_EXAMPLES),
  },
  {
    name: 'garbage in the stream',
    inflict: ({ kube }) => void kube.faults.damageLines('garble', { ...KOPF_EXAMPLES, times: 2 }),
  },
  {
    name: 'events that come twice',
    interrupts: false,
    inflict: ({ kube }) => void kube.faults.damageLines('repeat', { ...KOPF_EXAMPLES, times: 20 }),
  },
  {
    name: 'events that never come, until the next list',
    interrupts: false,
    inflict: ({ kube }) => void kube.faults.damageLines('drop', { ...KOPF_EXAMPLES, times: 10 }),
    relieve: ({ kube }) => void kube.faults.damageWatches({ error: 410 }, KOPF_EXAMPLES),
  },
  {
    name: 'a server that has too many requests',
    inflict: ({ kube }) => {
      kube.faults.damageWatches('cut');
      kube.faults.reject(429, { times: 20, retryAfter: 1 });
    },
  },
  {
    name: 'a server that fails at times',
    inflict: ({ kube }, round) => {
      kube.faults.reject([500, 503, 504][round % 3], { times: 5 });
      kube.faults.damageWatches('end');
    },
  },
  {
    name: 'writes whose answers are lost',
    interrupts: false,
    inflict: ({ kube }) => void kube.faults.cut('after', { verb: 'patch', times: 5 }),
  },
  {
    name: 'answers that are late',
    interrupts: false,
    inflict: ({ kube }) => void kube.faults.delay(20, { times: 10 }),
    pace: 10,
  },
  {
    name: 'credentials that are not accepted for a while, after an hour',
    inflict: async ({ harness, kube }, round) => {
      if (round === 0) await harness.advance(3600);
      if (round === 0) kube.faults.reject(401, { times: Infinity });
      kube.faults.damageWatches('cut');
    },
  },
  {
    name: 'permissions that are missing for a minute',
    inflict: ({ kube }, round) => {
      if (round === 0) kube.faults.reject(403, { ...KOPF_EXAMPLES, times: Infinity });
      kube.faults.damageWatches('cut');
    },
    pace: 5,
  },
  {
    name: 'a server that is restarted',
    inflict: async ({ kube }, round) => {
      if (round % 4 === 0) await kube.faults.goDown();
      if (round % 4 === 3) await kube.faults.comeBack();
    },
    pace: 20,
  },
  {
    name: 'a server that is restarted and has no history',
    inflict: async ({ kube }, round) => {
      if (round % 2 === 0) await kube.faults.goDown();
      kube.faults.expireHistory();
      if (round % 2 === 1) await kube.faults.comeBack();
    },
    pace: 20,
  },
  {
    name: 'a definition that is deleted and created again',
    inflict: async ({ harness, user }, round) => {
      if (round % 3 === 1) {
        await harness.undefine();
        user.forget();
      }
      if (round % 3 === 2) await harness.define();
    },
  },
  {
    name: 'a namespace that is deleted and created again',
    interrupts: false,
    inflict: async ({ harness, user }, round) => {
      if (round % 3 === 1) {
        await harness.send('DELETE', '/api/v1/namespaces/ns');
        user.forget();
      }
      if (round % 3 === 2) await harness.send('POST', '/api/v1/namespaces', { metadata: { name: 'ns' } });
    },
  },
];

const SETTINGS = [
  { lists: 'pages', watching: { pageSize: 10 }, namespaces: undefined },
  { lists: 'streams', watching: { streamedLists: 'auto' as const }, namespaces: ['n*'] },
];

let changes = 0;

describe.each(SETTINGS)('a watcher that lists in $lists', ({ watching, namespaces }) => {
  it.each(TORTURES)('should survive $name', async ({ inflict, relieve, pace = 3, interrupts = true }) => {
    const record = recordHandling();
    const harness = await OperatorHarness.start({ kube: { historySize: 100_000 } });
    const { kube, clock } = harness;
    const user = BusyUser.inside(kube.client);
    await user.work(60);
    const timersBefore = clock.pending;
    const operator = await harness.run(record.Handlers, { watching, namespaces });
    await harness.advance(5);
    const world: World = { harness, kube, operator, user };
    let interruptions = 0;
    harness.get(KopfWatcher).changes$.subscribe(({ state }) => (interruptions += INTERRUPTED.has(state) ? 1 : 0));

    for (let round = 0; round < ROUNDS; round += 1) {
      await inflict(world, round);
      for (let part = 0; part < 4; part += 1) {
        await user.work(CHANGES_PER_ROUND / 4);
        await harness.advance(pace / 4);
      }
    }
    if (interrupts) expect(interruptions).toBeGreaterThan(0);
    kube.faults.clear();
    await kube.faults.comeBack();
    await relieve?.(world);
    changes += user.changes;

    const isSettled = (): boolean =>
      record.missed(user.objects).length === 0 && operator.objects === user.objects.length;
    for (let second = 0; second < PATIENCE && !isSettled(); second += 5) await harness.advance(5);
    expect(record.missed(user.objects)).toEqual([]);
    expect(operator.objects).toBe(user.objects.length);

    // Events flow as if nothing had happened.
    await harness.advance(60);
    await user.work(20);
    await harness.advance(1);
    expect(record.missed(user.objects)).toEqual([]);
    expect(operator.objects).toBe(user.objects.length);
    expect(record.forgotten(user.deleted)).toEqual([]);
    const states = harness.get(KopfWatcher).states;
    expect(states).toMatchObject([{ state: 'watching', lastError: undefined, objects: user.objects.length }]);

    await harness.stop();
    expect(kube.openWatches).toBe(0);
    expect(clock.pending).toBe(timersBefore);
  });
});

describe('all of it together', () => {
  it('should be thousands of changes', () => {
    expect(changes).toBeGreaterThanOrEqual(byForm({ short: 5000, long: 10_000 }));
  });

  it('should leave no memory behind, however often it happens', async () => {
    const harness = await OperatorHarness.start();
    const { kube } = harness;
    const user = BusyUser.inside(kube.client);
    const record = recordHandling();
    await harness.run(record.Handlers, { watching: { streamedLists: 'auto', inactivityTimeout: 5 } });
    const suffer = async (times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1) {
        kube.faults.damageLines('cut', KOPF_EXAMPLES);
        kube.faults.reject(503, { verb: 'watch', times: 2 });
        await user.work(2);
        await harness.advance(3);
        kube.faults.damageWatches('stall', KOPF_EXAMPLES);
        await harness.advance(6);
        kube.faults.damageWatches({ error: 410 }, KOPF_EXAMPLES);
        await harness.advance(1);
        kube.faults.clear();
      }
      harness.logger.lines.length = 0;
      harness.writes.length = 0;
    };
    await suffer(50);
    const timersBefore = harness.clock.pending;
    const before = usedHeap();
    await suffer(400);
    kube.expireHistory();
    expect(usedHeap() - before).toBeLessThan(6 * 2 ** 20);
    expect(harness.clock.pending).toBeLessThanOrEqual(timersBefore + user.objects.length);
    expect(kube.openWatches).toBeLessThanOrEqual(3);
  });
});
