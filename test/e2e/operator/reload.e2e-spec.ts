import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Test } from '@nestjs/testing';
import { EmbeddedKube } from 'embedded-kube';
import { Daemon, KopfModule, KopfOperator, OnCreate, OnEvent, Timer, type DaemonContext } from 'nestjs-kopf';
import { KopfHealthModule } from 'nestjs-kopf/health';
import { ClusterUser, customResource, DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { eventually } from '../../support/time/eventually.js';
import { SilentLogger } from '../../support/telemetry/memory.logger.js';

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const RELOADS = 20;
const OPERATED = 200;
/** Allows for what grows in any process: code that is compiled, caches of the runtime. */
const GROWTH = 8 * 1024 * 1024;

class Busy {
  calls = 0;

  @OnEvent('kopf.dev/v1', 'kopfexamples')
  note() {
    this.calls += 1;
  }
  @OnCreate('kopf.dev/v1', 'kopfexamples')
  create() {}
  @Daemon('kopf.dev/v1', 'kopfexamples')
  async run({ stopped }: DaemonContext) {
    while (!stopped.isSet) await stopped.wait(10);
  }
  @Timer('kopf.dev/v1', 'kopfexamples', { interval: 1 })
  tick() {}
}

function heapUsed(): number {
  setFlagsFromString('--expose_gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

function countResources(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const type of process.getActiveResourcesInfo()) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

function countListeners(): number {
  return process.eventNames().reduce((sum, name) => sum + process.listenerCount(name as never), 0);
}

describe('An application that is reloaded in its process again and again', () => {
  it('should leave no timers, sockets, listeners, and memory behind', async () => {
    const kube = await EmbeddedKube.start();
    onTestFinished(() => kube.stop());
    const user = new ClusterUser(kube.transport());
    await user.create(DEFINITIONS, customResource());
    for (let index = 0; index < OPERATED; index++) {
      const metadata = { name: `o-${index}` };
      await user.create(OBJECTS, { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata, spec: { index } });
    }

    async function live(): Promise<void> {
      const module = await Test.createTestingModule({
        imports: [KopfHealthModule.forRoot(), KopfModule.forRoot({ credentials: kube.kubeconfig })],
        providers: [Busy],
      })
        .setLogger(new SilentLogger())
        .compile();
      module.enableShutdownHooks();
      await module.init();
      const operator = module.get(KopfOperator);
      await operator.ready();
      await eventually('the daemons', () => operator.daemons === 2 * OPERATED);
      await module.close();
    }

    for (let time = 0; time < 3; time++) await live();
    await eventually('the connections are closed', () => kube.openWatches === 0);
    const before = { resources: countResources(), listeners: countListeners(), heap: heapUsed() };
    for (let time = 0; time < RELOADS; time++) await live();
    await eventually('the connections are closed', () => kube.openWatches === 0);
    const after = { listeners: countListeners(), heap: heapUsed() };
    await eventually('everything is closed', () => {
      const { resources } = before;
      return Object.entries(countResources()).every(([type, count]) => count <= (resources[type] ?? 0));
    });
    expect(after.listeners).toBe(before.listeners);
    expect(after.heap - before.heap).toBeLessThan(GROWTH);
  }, 120_000);
});
