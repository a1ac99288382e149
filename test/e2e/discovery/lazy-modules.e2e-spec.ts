import { Injectable, Module, type Type } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import {
  Daemon,
  Index,
  KopfBootstrapError,
  KopfIndices,
  KopfModule,
  KopfOperator,
  KopfRegistry,
  KopfWatcher,
  KubeClient,
  OnChild,
  OnCleanup,
  OnCreate,
  OnDelete,
  OnEvent,
  OnResume,
  OnStartup,
  OnUpdate,
  Timer,
  Validate,
  type ChangeContext,
  type DaemonContext,
  type EventContext,
} from 'nestjs-kopf';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

/** The calls of all handlers. */
let calls: string[] = [];

class Eager {
  @OnCreate(...KEX)
  eager({ name }: ChangeContext) {
    calls.push(`eager ${name}`);
  }
}

@Injectable()
class Late {
  @OnCreate(...KEX)
  late({ name }: ChangeContext) {
    calls.push(`late ${name}`);
  }

  @OnUpdate(...KEX)
  changed({ name }: ChangeContext) {
    calls.push(`changed ${name}`);
  }

  @OnDelete(...KEX)
  removed({ name }: ChangeContext) {
    calls.push(`removed ${name}`);
  }

  @Daemon(...KEX)
  async guard({ name, stopped }: DaemonContext) {
    calls.push(`guard ${name}`);
    await stopped.wait();
  }

  @Timer(...KEX, { interval: 100 })
  tick({ name }: DaemonContext) {
    calls.push(`tick ${name}`);
  }

  @Index(...KEX)
  lateNames({ name }: { name: string }) {
    return { [name]: true };
  }

  @OnCleanup()
  clean() {
    calls.push('clean');
  }
}

function moduleOf(...providers: Type[]): Type {
  @Module({ providers })
  class LateModule {}
  return LateModule;
}

describe('Handlers of a module that is loaded lazily', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    calls = [];
    harness = await OperatorHarness.start();
  });

  async function load(type: Type, seconds = 5): Promise<void> {
    await harness.get(LazyModuleLoader).load(() => type);
    await harness.advance(seconds);
  }

  it('should be called from then on, beside those that were there, for objects old and new', async () => {
    await harness.run(Eager);
    await harness.create('a');
    await harness.advance(5);
    await load(moduleOf(Late));
    expect(calls.splice(0)).toEqual(['eager a', 'guard a', 'tick a']);
    await harness.create('b');
    await harness.advance(5);
    expect(calls.splice(0).sort()).toEqual(['eager b', 'guard b', 'late b', 'tick b']);
    await harness.patch('a', { spec: { field: 'new' } });
    await harness.advance(5);
    expect(calls.splice(0)).toEqual(['changed a']);
    await harness.delete('a');
    await harness.advance(5);
    expect(calls.splice(0)).toEqual(['removed a']);
    expect([...harness.get(KopfIndices).get('lateNames').keys()]).toEqual(['b']);
    await harness.stop();
    expect(calls).toContain('clean');
  });

  it('should be called for a resource that nothing has watched before', async () => {
    class Pods {
      @OnEvent('pods')
      pod() {}
    }
    await harness.run(Pods);
    await harness.create('a');
    await load(moduleOf(Late));
    expect(calls.sort()).toEqual(['guard a', 'late a', 'tick a']);
    expect(harness.get(KopfWatcher).states.map(({ resource }) => resource.plural)).toEqual(['pods', 'kopfexamples']);
    expect(harness.get(KopfRegistry).findById('late')).toHaveLength(1);
  });

  it('should be called though the resources are not looked up again', async () => {
    await harness.run(Eager, { scanning: { disabled: true } });
    await load(moduleOf(Late));
    await harness.create('a');
    await harness.advance(5);
    expect(calls).toContain('late a');
  });

  it('should be called if the operator starts afterwards, startup handlers included', async () => {
    class Starting {
      @OnStartup()
      prepare() {
        calls.push('prepare');
      }
    }
    const operator = await harness.run(Eager, { enabled: false, unready: true });
    await load(moduleOf(Starting, Late));
    expect(harness.logger.messages('warn')).toEqual([]);
    await harness.clock.runUntil(operator.start());
    await harness.clock.runUntil(operator.ready());
    await harness.create('a');
    await harness.advance(5);
    expect(calls).toEqual(expect.arrayContaining(['prepare', 'late a', 'eager a']));
  });

  it('should get objects that the watch had left out', async () => {
    class Narrow {
      @OnEvent(...KEX, { selector: { labels: 'tier=gold' } })
      gold({ name }: EventContext) {
        calls.push(`gold ${name}`);
      }
    }
    class Wide {
      @OnEvent(...KEX)
      all({ name }: EventContext) {
        calls.push(`all ${name}`);
      }
    }
    await harness.run(Narrow);
    await harness.create('a');
    await harness.advance(5);
    await load(moduleOf(Wide));
    expect(calls).toEqual(['all a']);
  });

  it('should follow related objects', async () => {
    class Following {
      @OnChild('kopfexamples.kopf.dev', 'configmaps')
      child({ name }: { name: string }) {
        calls.push(`child of ${name}`);
      }
    }
    await harness.run(Eager);
    const parent = await harness.create('a');
    await harness.advance(5);
    await load(moduleOf(Following));
    calls = [];
    const { uid } = parent.metadata;
    await harness.get(KubeClient).create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'child',
        namespace: 'ns',
        ownerReferences: [{ apiVersion: 'kopf.dev/v1', kind: 'KopfExample', name: 'a', uid: uid!, controller: true }],
      },
    });
    await harness.advance(5);
    expect(calls).toEqual(['child of a']);
  });

  it('should have the ids of their module', async () => {
    @Module({ imports: [KopfModule.forFeature({ idPrefix: 'late' })], providers: [Late] })
    class Prefixed {}
    await harness.run(Eager);
    await load(Prefixed);
    expect(harness.get(KopfRegistry).findById('late/late')).toHaveLength(1);
  });

  it('should be named where they come too late', async () => {
    class SpecDto {}
    class TooLate {
      @OnStartup()
      prepare() {
        calls.push('prepare');
      }

      @Validate(...KEX, { dto: SpecDto })
      check() {}

      @OnResume(...KEX)
      @OnCreate(...KEX)
      track({ name }: ChangeContext) {
        calls.push(`track ${name}`);
      }
    }
    await harness.run(Eager);
    await load(moduleOf(TooLate));
    const warnings = harness.logger.messages('warn');
    expect(warnings).toEqual([
      expect.stringMatching(
        /^TooLate\.prepare \(@OnStartup\) is in a module that is loaded lazily: it is never called/,
      ),
      expect.stringMatching(/^TooLate\.check \(@Validate\) is in a module that is loaded lazily: it is never called/),
      expect.stringMatching(
        /^TooLate\.track \(@OnResume\) .*: it is not called for objects that the operator has handled already/,
      ),
    ]);
    await harness.create('a');
    await harness.advance(5);
    expect(calls.sort()).toEqual(['eager a', 'track a']);
  });

  it('should be refused as a whole if anything is wrong with them', async () => {
    class Wrong {
      @OnCreate(...KEX, { id: 'eager' })
      again() {}

      @OnCreate(...KEX, { retries: -1 })
      bad() {}
    }
    await harness.run(Eager);
    const loading = harness.get(LazyModuleLoader).load(() => moduleOf(Wrong, Late));
    await expect(loading).rejects.toThrow(KopfBootstrapError);
    await expect(loading).rejects.toThrow(/Wrong\.bad \(@OnCreate\): option 'retries'/);
    await harness.create('a');
    await harness.advance(5);
    expect(calls).toEqual(['eager a']);
  });

  it('should be explored once, however often the module is loaded', async () => {
    await harness.run(Eager);
    const type = moduleOf(Late);
    await load(type);
    await load(type);
    expect(harness.get(KopfRegistry).findById('late')).toHaveLength(1);
  });

  it('should not be called twice for what a handler has in work while it loads them', async () => {
    const running: string[] = [];
    class Guarding {
      @Daemon(...KEX)
      async guard({ name, stopped }: DaemonContext) {
        calls.push(`guard ${name}`);
        await stopped.wait();
      }
    }
    const type = moduleOf(Guarding);
    @Injectable()
    class Loading {
      constructor(private readonly loader: LazyModuleLoader) {}

      @OnCreate(...KEX)
      async begin({ name }: ChangeContext) {
        running.push(`begin ${name}`);
        await this.loader.load(() => type);
        await new Promise<void>((resolve) => harness.clock.setTimer(resolve, 60_000));
        running.push(`end ${name}`);
      }
    }
    await harness.run(Loading);
    await harness.create('a');
    await harness.advance(30);
    await harness.create('b');
    await harness.advance(10);
    expect(running).toEqual(['begin a', 'begin b']);
    expect(calls).toContain('guard b');
    await harness.advance(120);
    expect(running.sort()).toEqual(['begin a', 'begin b', 'end a', 'end b']);
  });
});

describe('An operator in a module that is loaded lazily', () => {
  it('should be refused by name, unless only its clients are needed', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(Eager);
    @Module({ imports: [KopfModule.forRoot({ name: 'edge' })] })
    class EdgeModule {}
    const loader = harness.get(LazyModuleLoader);
    await expect(loader.load(() => EdgeModule)).rejects.toThrow(
      /KopfModule\.forRoot\(\) is imported by EdgeModule and loaded lazily, so its operator would never start: import it in the root module/,
    );
    @Module({ imports: [KopfModule.forRoot({ name: 'clients', enabled: false })] })
    class ClientsModule {}
    await loader.load(() => ClientsModule);
    expect(harness.get(KopfOperator).state).toBe('running');
  });
});
