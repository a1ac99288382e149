import { EmbeddedKube } from 'embedded-kube';
import { KopfOperator, KopfWatcher } from 'nestjs-kopf';
import { customResource } from '../../support/clusters/cluster.user.js';
import { BusyUser, recordHandling } from '../../support/generators/busy.user.js';
import { eventually } from '../../support/time/eventually.js';
import { LocalOperator } from '../../support/operators/local.operator.js';
import { MemoryLogger } from '../../support/telemetry/memory.logger.js';
import { byForm } from '../../support/runner/test.form.js';

const KOPF_EXAMPLES = { resource: 'kopfexamples.kopf.dev' };
const ROUNDS = byForm({ short: 4, long: 10 });
const CHANGES = ROUNDS * 30;

type Inflict = (kube: EmbeddedKube, round: number) => unknown;

const TORTURES: readonly (readonly [name: string, inflict: Inflict])[] = [
  ['connections that are reset in the middle of a line', ({ faults }) => faults.damageLines('cut', KOPF_EXAMPLES)],
  ['connections that fall silent', ({ faults }, round) => round % 5 === 0 && faults.damageWatches('stall')],
  [
    'versions that are too old',
    ({ faults }) => {
      faults.damageWatches('cut');
      faults.expireHistory();
    },
  ],
  [
    'lists that break off',
    ({ faults }) => {
      faults.damageWatches({ error: 410 }, KOPF_EXAMPLES);
      faults.cut('middle', { verb: ['list', 'watch'], ...KOPF_EXAMPLES });
    },
  ],
  ['garbage', ({ faults }) => faults.damageLines('garble', KOPF_EXAMPLES)],
  ['a server that has too many requests', ({ faults }) => faults.reject(429, { retryAfter: 0, times: 5 })],
  ['writes whose answers are lost', ({ faults }) => faults.cut('after', { verb: 'patch', times: 3 })],
  ['a server that is restarted', ({ faults }, round) => (round % 3 === 0 ? faults.goDown() : faults.comeBack())],
];

/** Counts the sockets of this process, with those that are being closed. */
const sockets = (): number => process.getActiveResourcesInfo().filter((name) => /^(TCP|TLS)/.test(name)).length;

describe.each([false, true])('a watcher over HTTPS, with streamed lists: %s', (streamedLists) => {
  it.each(TORTURES)('should survive %s', async (_name, inflict) => {
    const kube = await EmbeddedKube.start({ logger: new MemoryLogger() });
    onTestFinished(() => kube.stop());
    const definitions = { group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions' };
    await kube.client.create(definitions, undefined, customResource());
    const user = BusyUser.inside(kube.client, 'default');
    await eventually('the resource is served', () => user.work(1).then(() => user.changes > 0));
    const socketsBefore = sockets();
    const record = recordHandling();
    const operator = await LocalOperator.start(record.Handlers, {
      credentials: kube.kubeconfig,
      watching: { streamedLists, inactivityTimeout: 0.3, reconnectBackoff: 0.01, pageSize: 5 },
      networking: { errorBackoffs: [0.02, 0.02, 0.05, 0.1, 0.2, 0.5, 1] },
      queueing: { errorDelays: [0.1, 0.5] },
    });
    await operator.ready();

    for (let round = 0; round < ROUNDS; round += 1) {
      await inflict(kube, round);
      await user.work(CHANGES / ROUNDS);
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    await kube.faults.comeBack();
    kube.faults.clear();
    await eventually('everything is handled', () => record.missed(user.objects).length === 0, 10);
    await user.work(20);
    await eventually('events flow again', () => record.missed(user.objects).length === 0, 5);
    await eventually('deletions are noticed', () => operator.get(KopfOperator).objects === user.objects.length, 5);
    expect(record.forgotten(user.deleted)).toEqual([]);
    expect(user.changes).toBeGreaterThan(CHANGES);
    expect(operator.get(KopfWatcher).states).toMatchObject([{ objects: user.objects.length }]);

    await operator.stop();
    await eventually('no watch is open any more', () => kube.openWatches === 0, 5);
    await eventually('no socket is left', () => sockets() <= socketsBefore, 5);
  });
});
